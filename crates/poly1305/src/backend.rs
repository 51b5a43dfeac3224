//! Which kernel runs: chosen once, when a MAC is made, and stored in it.

pub(crate) mod portable;

/// A kernel that this machine can run.
///
/// | name | selected when | blocks at once |
/// |---|---|---|
/// | `portable` | nothing better is there | 1 |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Portable,
}

impl Backend {
    /// Names of all backends of this build's architecture, fastest first, whether or not this
    /// machine has them.
    pub const NAMES: &'static [&'static str] = &["portable"];

    /// Safe Rust alone; on every machine.
    pub const PORTABLE: Backend = Backend(Kind::Portable);

    /// The fastest backend of this machine.
    #[inline]
    pub fn detect() -> Self {
        Backend::PORTABLE
    }

    /// All backends that this machine can run, fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::NAMES.iter().filter_map(|name| Self::by_name(name))
    }

    /// The backend of this name, if this machine can run it.
    pub fn by_name(name: &str) -> Option<Self> {
        match name {
            "portable" => Some(Backend::PORTABLE),
            _ => None,
        }
    }

    /// The name that [`by_name`](Self::by_name) takes.
    pub fn name(&self) -> &'static str {
        match self.0 {
            Kind::Portable => "portable",
        }
    }

    #[inline]
    pub(crate) fn blocks(self, state: &mut portable::State, blocks: &[[u8; 16]]) {
        match self.0 {
            Kind::Portable => state.absorb::<1>(blocks),
        }
    }
}
