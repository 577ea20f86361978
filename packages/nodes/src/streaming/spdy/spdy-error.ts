/** The other end does not speak SPDY/3.1, or asks for more than is kept: its connection ends. */
export class SpdyError extends Error {
  override readonly name = "SpdyError"
}
