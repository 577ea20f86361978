import { fromBase64, toBase64 } from "../text/base64.ts"

const blockBegin = "-----BEGIN "
const blockEnd = "-----END "

/** One block of a PEM text. */
export interface PemBlock {
  readonly type: string
  readonly bytes: Uint8Array
  /** Whether lines like "Proc-Type: 4,ENCRYPTED" stand before the bytes. */
  readonly hasHeaders: boolean
}

/** A block, and where the text goes on behind it. */
interface FoundBlock extends PemBlock {
  readonly begin: number
  readonly end: number
}

/** Returns the first block that is whole, with whatever stands around it. */
export function firstPemBlock(pem: string): PemBlock | undefined {
  return nextBlock(pem, 0)
}

/** The blocks of a text, and the text that is in none of them. */
export interface PemBlocks {
  readonly blocks: readonly PemBlock[]
  readonly outside: string
}

/** Returns all blocks that are whole. */
export function pemBlocks(pem: string): PemBlocks {
  const blocks: PemBlock[] = []
  const outside: string[] = []
  let from = 0
  for (let block = nextBlock(pem, 0); block !== undefined; block = nextBlock(pem, from)) {
    blocks.push(block)
    outside.push(pem.slice(from, block.begin))
    from = block.end
  }
  return { blocks, outside: [...outside, pem.slice(from)].join("") }
}

/** From an end back to the last beginning before it, so that every character is looked at once: a client may send a million beginnings. */
function nextBlock(pem: string, start: number): FoundBlock | undefined {
  let from = start
  for (let end = pem.indexOf(blockEnd, from); end >= 0; end = pem.indexOf(blockEnd, from)) {
    const begin = pem.slice(from, end).lastIndexOf(blockBegin)
    const block = begin < 0 ? "" : pem.slice(from + begin + blockBegin.length, end)
    const [head = "", type] = /^([^-\n]+)-----[ \t]*\r?\n/.exec(block) ?? []
    const tail = `${blockEnd}${type}-----`
    const found = type !== undefined && pem.startsWith(tail, end) ? decoded(type, block.slice(head.length)) : undefined
    if (found !== undefined) return { ...found, begin: from + begin, end: afterLine(pem, end + tail.length) }
    from = end + blockEnd.length
  }
  return undefined
}

function afterLine(pem: string, at: number): number {
  const newline = pem.startsWith("\r\n", at) ? 2 : 1
  return pem.startsWith("\n", at + newline - 1) ? at + newline : at
}

/** A block may have headers, up to an empty line. */
function decoded(type: string, body: string): PemBlock | undefined {
  const hasHeaders = /^[^\n]*:/.test(body)
  const text = hasHeaders ? body.slice(Math.max(0, body.search(/\r?\n\r?\n/))) : body
  const bytes = fromBase64(text.replaceAll(/\s+/g, ""))
  return bytes && { type, bytes, hasHeaders }
}

/** Writes one block, in lines of 64 letters. */
export function pemText(type: string, bytes: Uint8Array): string {
  const lines = toBase64(bytes).match(/.{1,64}/g) ?? []
  return `${blockBegin}${type}-----\n${lines.map((line) => `${line}\n`).join("")}${blockEnd}${type}-----\n`
}
