// What goes around every Kubernetes object in protobuf: "k8s\0", then {1: {1: apiVersion, 2: kind}, 2: the object, 3: content encoding, 4: content type}.
import { Wire, WireFault, type WireReader } from "./wire.ts"

/** The content type of Kubernetes' protobuf form. */
export const protobufContentType = "application/vnd.kubernetes.protobuf"

export const magic: readonly number[] = [0x6b, 0x38, 0x73, 0x00]

export interface Envelope {
  apiVersion: string
  kind: string
  /** Where the bytes of the object lie. */
  start: number
  end: number
}

/** Begins with "k8s\0". */
export function isProtobuf(bytes: Uint8Array): boolean {
  return isMagic(bytes, 0, bytes.length)
}

export function isMagic(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start >= magic.length && magic.every((byte, index) => bytes[start + index] === byte)
}

const typeMetaTag = (1 << 3) | Wire.bytes
const rawTag = (2 << 3) | Wire.bytes
const encodingTag = (3 << 3) | Wire.bytes

/** Reads from `position` to `end`, past the magic. */
export function readEnvelope(reader: WireReader): Envelope {
  if (!isMagic(reader.bytes, reader.position, reader.end)) {
    throw new WireFault(reader.position, 'a Kubernetes protobuf body begins with the bytes 6b 38 73 00 ("k8s\\0")')
  }
  reader.position += magic.length
  const envelope: Envelope = { apiVersion: "", kind: "", start: reader.position, end: reader.position }
  while (reader.position < reader.end) readEnvelopeField(reader, envelope)
  return envelope
}

function readEnvelopeField(reader: WireReader, envelope: Envelope): void {
  const start = reader.position
  const tag = reader.tag()
  if (tag === typeMetaTag) readTypeMeta(reader, envelope)
  else if (tag === rawTag) {
    envelope.end = reader.lengthEnd()
    envelope.start = reader.position
    reader.position = envelope.end
  } else if (tag === encodingTag) {
    const encoding = reader.string()
    if (encoding !== "") throw new WireFault(start, `the content encoding is empty, not "${encoding}"`)
  } else reader.skip(tag, 3)
}

function readTypeMeta(reader: WireReader, envelope: Envelope): void {
  const outer = reader.enter()
  while (reader.position < reader.end) {
    const tag = reader.tag()
    if (tag === typeMetaTag) envelope.apiVersion = reader.string()
    else if (tag === rawTag) envelope.kind = reader.string()
    else reader.skip(tag, 2)
  }
  reader.leave(outer)
}
