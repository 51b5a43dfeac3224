//! The output of objdump, in functions and instructions.

use std::collections::{BTreeMap, BTreeSet};

/// A program's code.
pub struct Disassembly {
    functions: Vec<Function>,
    /// From a slot of the global offset table to the function whose address the loader puts there.
    slots: BTreeMap<u64, u64>,
    /// From a function's address to its number.
    starts: BTreeMap<u64, usize>,
}

pub struct Function {
    pub name: String,
    pub instructions: Vec<Instruction>,
}

/// One instruction in AT&T's notation: the destination is last.
pub struct Instruction {
    pub address: u64,
    mnemonic: String,
    operands: Vec<String>,
    /// What objdump says of an address relative to the program counter.
    comment: String,
}

impl Disassembly {
    /// Of what `objdump --disassemble` and `objdump --dynamic-reloc` print.
    pub fn new(code: &str, relocations: &str) -> Self {
        let mut functions: Vec<Function> = Vec::new();
        let mut starts = BTreeMap::new();
        for line in code.lines() {
            if let Some((address, name)) = header(line) {
                starts.insert(address, functions.len());
                functions.push(Function {
                    name: name.to_owned(),
                    instructions: Vec::new(),
                });
            } else if let (Some(function), Some(instruction)) =
                (functions.last_mut(), Instruction::parse(line))
            {
                function.instructions.push(instruction);
            }
        }
        Disassembly {
            functions,
            slots: relocations.lines().filter_map(relocation).collect(),
            starts,
        }
    }

    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// What `function` overwrites with zeros, itself or through the destructors that it calls, on its way
    /// to a return: what happens on a panic does not count.
    pub fn wiped(&self, function: &Function) -> Zeros {
        self.wiped_within(function, &mut BTreeSet::new())
    }

    fn wiped_within<'a>(&'a self, function: &'a Function, seen: &mut BTreeSet<&'a str>) -> Zeros {
        let returning = function.returning();
        let mut sum = zeros(&returning);
        for one in returning {
            let Some(callee) = self.callee(one) else {
                continue;
            };
            let is_destructor = callee.name.starts_with("core::ptr::drop_in_place")
                || callee.name.contains("as core::ops::drop::Drop>::drop");
            if is_destructor && seen.insert(&callee.name) {
                let Zeros { bytes, fills } = self.wiped_within(callee, seen);
                sum.bytes += bytes;
                sum.fills += fills;
            }
        }
        sum
    }

    /// The function that is called, or jumped to at the end.
    fn callee(&self, one: &Instruction) -> Option<&Function> {
        if !one.is("call") && !one.is("jmp") {
            return None;
        }
        let slot = one.comment.split_whitespace().next();
        let address = match slot.and_then(|slot| u64::from_str_radix(slot, 16).ok()) {
            Some(slot) => *self.slots.get(&slot)?,
            None => one.target()?,
        };
        Some(&self.functions[*self.starts.get(&address)?])
    }
}

/// `0000000000001040 <name>:`
fn header(line: &str) -> Option<(u64, &str)> {
    let (address, name) = line.strip_suffix(">:")?.split_once(" <")?;
    Some((u64::from_str_radix(address, 16).ok()?, name))
}

/// `000000000014c590 R_X86_64_RELATIVE  *ABS*+0x10b270`
fn relocation(line: &str) -> Option<(u64, u64)> {
    let (slot, value) = line.split_once(" R_X86_64_RELATIVE")?;
    let address = value.trim().strip_prefix("*ABS*+0x")?;
    Some((
        u64::from_str_radix(slot.trim(), 16).ok()?,
        u64::from_str_radix(address, 16).ok()?,
    ))
}

/// What is overwritten with zeros.
#[derive(Debug, Default, PartialEq)]
pub struct Zeros {
    /// Bytes at different addresses.
    pub bytes: usize,
    /// Calls of memset, for a number of bytes that is known at run time.
    pub fills: usize,
}

impl Function {
    /// The instructions from which a return can be reached. Unwinding reaches none.
    fn returning(&self) -> Vec<&Instruction> {
        let place = |target| {
            self.instructions
                .binary_search_by_key(&target, |one| one.address)
                .ok()
        };
        let mut returns = vec![false; self.instructions.len() + 1];
        // Backward jumps need further rounds.
        loop {
            let before = returns.clone();
            for (i, one) in self.instructions.iter().enumerate().rev() {
                let next = returns[i + 1];
                let target = || one.target().and_then(place).is_none_or(|to| returns[to]);
                returns[i] = match one.mnemonic.as_str() {
                    "ret" => true,
                    "ud2" | "int3" => false,
                    "call" => next && !one.operands[0].contains("_Unwind_Resume"),
                    "jmp" => target(),
                    jump if jump.starts_with('j') => next || target(),
                    _ => next,
                };
            }
            if returns == before {
                break;
            }
        }
        let instructions = self.instructions.iter().zip(returns);
        instructions
            .filter_map(|(one, returns)| returns.then_some(one))
            .collect()
    }

    /// The loops that `wanted` accepts and that have no such loop inside.
    pub fn smallest_loops(&self, wanted: impl Fn(&[Instruction]) -> bool) -> Vec<&[Instruction]> {
        let mut loops: Vec<(usize, usize)> = Vec::new();
        for (end, one) in self.instructions.iter().enumerate() {
            let jump = one
                .mnemonic
                .starts_with('j')
                .then(|| one.target())
                .flatten();
            let start = jump.and_then(|target| {
                self.instructions[..=end]
                    .binary_search_by_key(&target, |other| other.address)
                    .ok()
            });
            if let Some(start) = start
                && wanted(&self.instructions[start..=end])
            {
                loops.push((start, end));
            }
        }
        let inside = |(start, end), &(from, to): &(usize, usize)| {
            from <= start && end <= to && (from, to) != (start, end)
        };
        loops
            .iter()
            .filter(|outer| !loops.iter().any(|inner| inside(*inner, outer)))
            .map(|&(start, end)| &self.instructions[start..=end])
            .collect()
    }
}

impl Instruction {
    /// `1030:`, a tab, `mov    %rsp,%rbp`
    fn parse(line: &str) -> Option<Self> {
        let (address, text) = line.trim_start().split_once(":\t")?;
        let (text, comment) = text.split_once('#').unwrap_or((text, ""));
        let (mnemonic, operands) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
        Some(Instruction {
            address: u64::from_str_radix(address, 16).ok()?,
            mnemonic: mnemonic.to_owned(),
            operands: split_operands(operands.trim()),
            comment: comment.trim().to_owned(),
        })
    }

    /// Whether the mnemonic is this, or this with the suffix of a size.
    pub fn is(&self, mnemonic: &str) -> bool {
        let rest = self.mnemonic.strip_prefix(mnemonic);
        rest.is_some_and(|rest| matches!(rest, "" | "b" | "w" | "l" | "q"))
    }

    /// Where it jumps to or what it calls, if that is an address.
    fn target(&self) -> Option<u64> {
        let target = self.operands.first()?.split_whitespace().next()?;
        u64::from_str_radix(target, 16).ok()
    }

    /// Whether it writes to memory.
    pub fn stores(&self) -> bool {
        const READERS: [&str; 9] = [
            "cmp", "test", "j", "call", "nop", "prefetch", "bt", "push", "vptest",
        ];
        let reads = READERS.iter().any(|name| self.mnemonic.starts_with(name));
        let destination = self.operands.last();
        // One operand and two: a mulx or imul of memory reads it.
        let single = self.operands.len() == 1
            && !["inc", "dec", "not", "neg", "set"]
                .iter()
                .any(|name| self.mnemonic.starts_with(name));
        !reads && !single && destination.is_some_and(|operand| operand.contains('('))
    }
}

/// At the commas outside of parentheses.
fn split_operands(text: &str) -> Vec<String> {
    let mut depth = 0;
    text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
    .filter(|operand| !operand.is_empty())
    .map(str::to_owned)
    .collect()
}

/// What these instructions overwrite. Registers are followed in the order of the addresses.
fn zeros(instructions: &[&Instruction]) -> Zeros {
    let mut zeros: BTreeSet<&str> = BTreeSet::new();
    let mut written: BTreeMap<&str, usize> = BTreeMap::new();
    let mut fills = 0;
    for one in instructions {
        if one.is("call") {
            // The second argument is the byte to fill with.
            let is_fill = [&one.operands[0], &one.comment]
                .iter()
                .any(|text| text.contains("<memset"));
            fills += usize::from(is_fill && zeros.contains("%esi"));
            zeros.clear();
            continue;
        }
        let Some(destination) = one.operands.last() else {
            continue;
        };
        let source = one.operands[0].as_str();
        if one.stores() {
            let bytes = match source {
                "$0x0" if one.mnemonic.starts_with("mov") => size_of_suffix(&one.mnemonic),
                _ if one.mnemonic.contains("mov") && zeros.contains(number(source)) => {
                    size_of_register(source)
                }
                _ => 0,
            };
            if bytes > 0 {
                let most = written.entry(destination).or_default();
                *most = bytes.max(*most);
            }
        } else if one.mnemonic.contains("xor") && one.operands.iter().all(|other| other == source) {
            zeros.insert(number(source));
        } else {
            zeros.remove(number(destination));
        }
    }
    Zeros {
        bytes: written.values().sum(),
        fills,
    }
}

/// `mm3` of the three registers of that number; other registers as they are.
fn number(register: &str) -> &str {
    match register.strip_prefix(['%']) {
        Some(name) if name.get(1..3) == Some("mm") => &name[1..],
        _ => register,
    }
}

fn size_of_suffix(mnemonic: &str) -> usize {
    match mnemonic.as_bytes().last() {
        Some(b'b') => 1,
        Some(b'w') => 2,
        Some(b'l') => 4,
        Some(b'q') => 8,
        _ => 0,
    }
}

/// Of a vector register.
fn size_of_register(register: &str) -> usize {
    match register.get(1..2) {
        Some("x") => 16,
        Some("y") => 32,
        Some("z") => 64,
        _ => 0,
    }
}
