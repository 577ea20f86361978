import { writeBody } from "../encode.ts"
import { Wire } from "../wire.ts"
import { WireWriter } from "../wire-writer.ts"

/** Encodes one frame of a protobuf watch stream: four bytes of length, most significant first, and the event. */
export function encodeWatchFrame(event: { readonly type: string; readonly object: unknown }): Uint8Array {
  const writer = new WireWriter()
  writeBody(writer, event.object)
  writer.length(0)
  writer.tag(1, Wire.bytes)
  writer.length(0)
  writer.tag(2, Wire.bytes)
  writer.string(event.type)
  writer.tag(1, Wire.bytes)
  const size = writer.size
  writer.raw([size >>> 24, (size >>> 16) & 255, (size >>> 8) & 255, size & 255])
  return writer.finish()
}
