import { badRequest, type StatusError } from "@pilothouse/api"
import { PilothouseError } from "@pilothouse/seams"

/** A body that says nothing that could be read. Which kind was expected is known further up. */
export class UnrecognizedBody extends PilothouseError {
  override readonly name = "UnrecognizedBody"
  readonly bytes: Uint8Array

  constructor(why: string, bytes: Uint8Array) {
    super("INVALID", why)
    this.bytes = bytes
  }
}

export function unrecognized(kind: string, why: string, bytes: Uint8Array): StatusError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(bytes)})`)
}

const shown = 30

/** What looks like JSON is shown as text, everything else as numbers. */
function summary(bytes: Uint8Array): string {
  if (bytes.length === 0) return "<empty>"
  const start = bytes.subarray(0, shown)
  const more = bytes.length > shown ? " ..." : ""
  if (bytes[0] === 0x7b) return new TextDecoder().decode(start) + more
  return [...start].map((byte) => byte.toString(16).padStart(2, "0")).join("") + more
}
