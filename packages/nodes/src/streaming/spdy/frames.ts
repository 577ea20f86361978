import { SpdyError } from "./spdy-error.ts"

/** A frame of SPDY/3.1, without the headers of those that have some: they are compressed with all blocks before them. */
export type Frame =
  | { readonly type: "data"; readonly stream: number; readonly fin: boolean; readonly data: Buffer }
  | { readonly type: "syn-stream"; readonly stream: number; readonly fin: boolean; readonly block: Buffer }
  | { readonly type: "syn-reply"; readonly stream: number; readonly fin: boolean; readonly block: Buffer }
  | { readonly type: "headers"; readonly stream: number; readonly fin: boolean; readonly block: Buffer }
  | { readonly type: "rst-stream"; readonly stream: number; readonly status: number }
  | { readonly type: "settings"; readonly entries: readonly { readonly id: number; readonly value: number }[] }
  | { readonly type: "ping"; readonly id: number }
  | { readonly type: "goaway"; readonly lastStream: number; readonly status: number }
  | { readonly type: "window-update"; readonly stream: number; readonly delta: number }
  | { readonly type: "unknown"; readonly code: number }

const version = 3
const finFlag = 1
const headLength = 8

/** Bytes of one frame. Kubernetes' clients copy in pieces of 32 KiB; the format has room for 16 MiB, which one client would make us keep. */
export const maxFrame = 1024 * 1024

/** Bytes of one control frame. The headers of a stream are some hundred. */
const maxControl = 64 * 1024

const codes = { "syn-stream": 1, "syn-reply": 2, "rst-stream": 3, settings: 4, ping: 6, goaway: 7, headers: 8, "window-update": 9 } as const

/** Returns a frame in its bytes. */
export function encodeFrame(frame: Exclude<Frame, { readonly type: "unknown" }>): Buffer {
  switch (frame.type) {
    case "data":
      return Buffer.concat([head(numbers(frame.stream), frame.fin, frame.data.length), frame.data])
    case "syn-stream":
      // No associated stream, priority 0, and no slot.
      return control("syn-stream", frame.fin, Buffer.concat([numbers(frame.stream, 0), Buffer.alloc(2), frame.block]))
    case "syn-reply":
    case "headers":
      return control(frame.type, frame.fin, Buffer.concat([numbers(frame.stream), frame.block]))
    case "rst-stream":
      return control("rst-stream", false, numbers(frame.stream, frame.status))
    case "settings":
      return control("settings", false, numbers(frame.entries.length, ...frame.entries.flatMap(({ id, value }) => [id, value])))
    case "ping":
      return control("ping", false, numbers(frame.id))
    case "goaway":
      return control("goaway", false, numbers(frame.lastStream, frame.status))
    case "window-update":
      return control("window-update", false, numbers(frame.stream, frame.delta))
  }
}

function control(type: keyof typeof codes, fin: boolean, payload: Buffer): Buffer {
  const first = Buffer.alloc(4)
  first.writeUInt16BE(0x8000 | version)
  first.writeUInt16BE(codes[type], 2)
  return Buffer.concat([head(first, fin, payload.length), payload])
}

function head(first: Buffer, fin: boolean, length: number): Buffer {
  const rest = Buffer.alloc(4)
  rest.writeUInt32BE(length)
  rest[0] = fin ? finFlag : 0
  return Buffer.concat([first, rest])
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4)
  return bytes
}

/**
 * Cuts a byte stream into frames. Throws a SpdyError for what is no frame of SPDY/3.1; then nothing more can be read.
 * Invariant: less than one whole frame is held.
 */
export class FrameReader {
  #parts: Buffer[] = []
  #held = 0
  /** Bytes that the next frame takes, as far as that is known. */
  #needed = headLength

  /** Returns the frames that are whole with these bytes. */
  read(chunk: Buffer): readonly Frame[] {
    this.#parts.push(chunk)
    this.#held += chunk.length
    if (this.#held < this.#needed) return []
    let rest = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts)
    const frames: Frame[] = []
    for (;;) {
      this.#needed = rest.length < headLength ? headLength : headLength + lengthOf(rest)
      if (rest.length < this.#needed) break
      frames.push(frameOf(rest.subarray(0, this.#needed)))
      rest = rest.subarray(this.#needed)
    }
    this.#parts = rest.length === 0 ? [] : [rest]
    this.#held = rest.length
    return frames
  }
}

function lengthOf(bytes: Buffer): number {
  const length = bytes.readUIntBE(5, 3)
  const isControl = (bytes[0]! & 0x80) !== 0
  const found = isControl ? bytes.readUInt16BE(0) & 0x7fff : version
  if (found !== version) throw new SpdyError(`expected frames of SPDY/3, found version ${found}`)
  const limit = isControl ? maxControl : maxFrame
  if (length > limit) throw new SpdyError(`expected a frame of at most ${limit} bytes, found ${length}`)
  return length
}

function frameOf(bytes: Buffer): Frame {
  const fin = (bytes[4]! & finFlag) !== 0
  const payload = bytes.subarray(headLength)
  if ((bytes[0]! & 0x80) === 0) return { type: "data", stream: bytes.readUInt32BE(0), fin, data: payload }
  const code = bytes.readUInt16BE(2)
  const at = (index: number) => numberAt(payload, index)
  const stream = () => at(0) & 0x7fff_ffff
  switch (code) {
    case codes["syn-stream"]:
      at(1)
      return { type: "syn-stream", stream: stream(), fin, block: payload.subarray(10) }
    case codes["syn-reply"]:
      return { type: "syn-reply", stream: stream(), fin, block: payload.subarray(4) }
    case codes.headers:
      return { type: "headers", stream: stream(), fin, block: payload.subarray(4) }
    case codes["rst-stream"]:
      return { type: "rst-stream", stream: stream(), status: at(1) }
    case codes.settings:
      return { type: "settings", entries: settingsIn(payload, at(0)) }
    case codes.ping:
      return { type: "ping", id: at(0) }
    case codes.goaway:
      return { type: "goaway", lastStream: stream(), status: at(1) }
    case codes["window-update"]:
      return { type: "window-update", stream: stream(), delta: at(1) & 0x7fff_ffff }
    default:
      return { type: "unknown", code }
  }
}

function numberAt(payload: Buffer, index: number): number {
  if (payload.length >= index * 4 + 4) return payload.readUInt32BE(index * 4)
  throw new SpdyError(`expected a control frame of at least ${index * 4 + 4} bytes, found ${payload.length}`)
}

function settingsIn(payload: Buffer, count: number) {
  if (payload.length !== 4 + count * 8) throw new SpdyError(`expected ${count} settings, found ${payload.length - 4} bytes`)
  return Array.from({ length: count }, (_, index) => ({
    id: payload.readUInt32BE(4 + index * 8) & 0xff_ffff,
    value: payload.readUInt32BE(8 + index * 8),
  }))
}
