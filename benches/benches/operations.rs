//! Every operation by every contestant under Criterion, as `OPERATION/CONTESTANT/BYTES`. A "time" is that
//! of a whole batch: read the throughput.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ss55_benches::{Operation, contestants};
use std::time::Duration;

fn operations(criterion: &mut Criterion) {
    for operation in Operation::ALL {
        let mut group = criterion.benchmark_group(operation.name());
        for &size in operation.sizes() {
            for mut contestant in contestants(operation, size) {
                let id = BenchmarkId::new(&contestant.name, size);
                group.throughput(Throughput::Bytes(contestant.bytes() as u64));
                group.bench_function(id, |bencher| {
                    contestant.check().expect("the portable backend's bytes");
                    bencher.iter_custom(|runs| (0..runs).map(|_| contestant.time()).sum());
                });
            }
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = operations
}
criterion_main!(benches);
