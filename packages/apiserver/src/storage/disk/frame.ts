import { crc32 } from "node:zlib"

/**
 * A frame: 4 bytes that are in no UTF-8 text, length, checksum of the text, checksum of these three, then the text.
 * One frame is one batch of writes: it is there as a whole or not at all.
 */
const mark = Buffer.from([0xff, 0xfe, 0x50, 0x48])
const headerSize = 16

/** Returns the frame of one record: mark, length, checksum of the text, checksum of the header, text. */
export function frameOf(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const frame = Buffer.allocUnsafe(headerSize + length)
  frame.write(text, headerSize)
  mark.copy(frame)
  frame.writeUInt32LE(length, 4)
  frame.writeUInt32LE(crc32(frame.subarray(headerSize)), 8)
  frame.writeUInt32LE(crc32(frame.subarray(0, 12)), 12)
  return frame
}

/** How a file ends behind its last whole frame. */
export type FrameEnd = "whole" | "torn" | "damaged"

export interface Frames {
  readonly texts: readonly string[]
  /** Of the first byte behind the last whole frame. */
  readonly end: number
  readonly ending: FrameEnd
}

export function readFrames(bytes: Buffer, start: number): Frames {
  const texts: string[] = []
  let end = start
  for (let frame = readFrame(bytes, end); frame !== undefined; frame = readFrame(bytes, end)) {
    texts.push(frame.text)
    end = frame.end
  }
  return { texts, end, ending: endingOf(bytes, end) }
}

/** The frame at a place and the first byte behind it; undefined when there is no whole one. */
export function readFrame(bytes: Buffer, at: number): { readonly text: string; readonly end: number } | undefined {
  const end = frameEnd(bytes, at)
  return end === undefined ? undefined : { text: bytes.toString("utf8", at + headerSize, end), end }
}

/** Where the frame at a place ends, when there is a whole one. */
function frameEnd(bytes: Buffer, at: number): number | undefined {
  if (!hasHeader(bytes, at)) return undefined
  const end = at + headerSize + bytes.readUInt32LE(at + 4)
  if (end > bytes.length || crc32(bytes.subarray(at + headerSize, end)) !== bytes.readUInt32LE(at + 8)) return undefined
  return end
}

function hasHeader(bytes: Buffer, at: number): boolean {
  if (at + headerSize > bytes.length || bytes.compare(mark, 0, 4, at, at + 4) !== 0) return false
  return crc32(bytes.subarray(at, at + 12)) === bytes.readUInt32LE(at + 12)
}

/**
 * Torn or damaged? One frame is written at a time into a part of the file that is all zeros, and neither its mark nor its text has a zero byte. So a write that
 * was cut off has zeros where the disk did not get to, also in the mark alone where the frame begins in the last bytes of a sector. A frame without them
 * was whole once, and so was one with a whole frame behind it.
 */
function endingOf(bytes: Buffer, end: number): FrameEnd {
  const rest = withoutZeros(bytes.subarray(end))
  if (rest.length === 0) return "whole"
  if (hasFrameInside(rest)) return "damaged"
  if (rest.length < headerSize) return "torn"
  const cut = hasHeader(rest, 0) && rest.length < headerSize + rest.readUInt32LE(4)
  const hasUnwritten = rest.subarray(0, mark.length).includes(0) || rest.includes(0, headerSize)
  return cut || hasUnwritten ? "torn" : "damaged"
}

function withoutZeros(bytes: Buffer): Buffer {
  let length = bytes.length
  while (length > 0 && bytes[length - 1] === 0) length--
  return bytes.subarray(0, length)
}

function hasFrameInside(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(mark, 1); at >= 0; at = bytes.indexOf(mark, at + 1)) if (frameEnd(bytes, at) !== undefined) return true
  return false
}
