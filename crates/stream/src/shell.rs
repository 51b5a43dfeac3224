//! What the types over `Read` and `Write` have in common: a core, and the inner side that it is handed
//! with every call.

/// The methods of a writer with the fields `out` and `inner`.
macro_rules! writer {
    ($Writer:ident, short_frames: $short_frames:literal, $($bound:tt)+) => {
        impl<W: std::io::Write, E: $($bound)+> $Writer<W, E> {
            /// Ends the stream, flushes the inner writer and gives it back.
            ///
            /// # Errors
            /// An error of the inner writer, which is lost with it: where it is still needed, or where
            /// it may say `WouldBlock`, call [`close`](Self::close) first.
            pub fn finish(mut self) -> Result<W, $crate::Error> {
                self.close()?;
                Ok(self.inner)
            }

            /// Ends the stream and flushes the inner writer. A second call does nothing; after
            /// `WouldBlock` it goes on.
            ///
            /// # Errors
            /// As [`finish`](Self::finish).
            pub fn close(&mut self) -> Result<(), $crate::Error> {
                self.out.close(&mut self.inner)
            }

            /// The inner writer.
            pub fn inner(&self) -> &W {
                &self.inner
            }

            /// The inner writer. Writing to it breaks the stream.
            pub fn inner_mut(&mut self) -> &mut W {
                &mut self.inner
            }
        }

        impl<W: std::io::Write, E: $($bound)+> std::io::Write for $Writer<W, E> {
            fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
                Ok(self.out.write(&mut self.inner, data)?)
            }

            fn flush(&mut self) -> std::io::Result<()> {
                Ok(self.out.flush(&mut self.inner, $short_frames)?)
            }
        }

        impl<W: std::fmt::Debug, E> std::fmt::Debug for $Writer<W, E> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($Writer))
                    .field("inner", &self.inner)
                    .finish_non_exhaustive()
            }
        }
    };
}

/// The methods of a reader with the fields `input` and `inner`.
macro_rules! reader {
    ($Reader:ident, $($bound:tt)+) => {
        impl<R: std::io::Read, E: $($bound)+> $Reader<R, E> {
            /// Whether the end of the stream has been opened and found authentic. Never with SS55 v1,
            /// which has none: there a stream cut on the edge of a frame reads as a whole one.
            pub fn end_is_authenticated(&self) -> bool {
                self.input.format().is_finished()
            }

            /// Offset in the input of the frame that is opened next, or of the one that failed.
            pub fn frame_offset(&self) -> u64 {
                self.input.offset()
            }

            /// The inner reader.
            pub fn inner(&self) -> &R {
                &self.inner
            }

            /// The inner reader. Reading from it breaks the stream.
            pub fn inner_mut(&mut self) -> &mut R {
                &mut self.inner
            }

            /// Gives the inner reader back. It may have been read past the current frame.
            pub fn into_inner(self) -> R {
                self.inner
            }
        }

        impl<R: std::io::Read, E: $($bound)+> std::io::Read for $Reader<R, E> {
            fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
                Ok(self.input.read(&mut self.inner, out)?)
            }
        }

        impl<R: std::io::Read, E: $($bound)+> std::io::BufRead for $Reader<R, E> {
            fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
                Ok(self.input.fill_buf(&mut self.inner)?)
            }

            fn consume(&mut self, n: usize) {
                self.input.consume(n);
            }
        }

        impl<R: std::fmt::Debug, E> std::fmt::Debug for $Reader<R, E> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($Reader))
                    .field("inner", &self.inner)
                    .finish_non_exhaustive()
            }
        }
    };
}
