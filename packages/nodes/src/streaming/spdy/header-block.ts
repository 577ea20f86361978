import { constants, createDeflate, createInflate } from "node:zlib"
import { SpdyError } from "./spdy-error.ts"

/** The words of SPDY/3's dictionary (draft-mbelshe-httpbis-spdy-00, 2.6.10.1), each preceded by its length in 32 bits. */
const words = `options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization
cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type
date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards
pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning
www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie keep-alive origin`

/** What follows the words, without lengths. */
const rest =
  "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content" +
  "301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented" +
  "503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT" +
  "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript," +
  "publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0."

/** Returns the 1,423 bytes that both ends give to zlib before the first header block. */
export function spdyDictionary(): Buffer {
  const parts = words.split(/\s/).map((word) => {
    const text = Buffer.from(word.replace("_", " "))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(text.length)
    return Buffer.concat([length, text])
  })
  return Buffer.concat([...parts, Buffer.from(rest)])
}

/** The headers of a stream; names in lower case. */
export type StreamHeaders = ReadonlyMap<string, string>

/** Bytes of one header block when it is inflated: 64 KiB that were sent can be 64 MiB. */
const maxInflated = 64 * 1024

/** Returns a header block before its compression. */
export function encodeHeaders(headers: StreamHeaders): Buffer {
  return Buffer.concat([number(headers.size), ...[...headers].flatMap(([name, value]) => [text(name.toLowerCase()), text(value)])])
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([number(bytes.length), bytes])
}

/** Throws a SpdyError for a block that ends too early. Of a name with several values the first counts. */
export function decodeHeaders(block: Buffer): StreamHeaders {
  let at = 0
  const next = () => {
    if (at + 4 > block.length) throw new SpdyError("expected a header block that is whole, found its end")
    at += 4
    return block.readUInt32BE(at - 4)
  }
  const word = () => {
    const length = next()
    if (at + length > block.length) throw new SpdyError(`expected a header of ${length} bytes, found ${block.length - at}`)
    at += length
    return block.toString("utf8", at - length, at)
  }
  const headers = new Map<string, string>()
  for (let left = next(); left > 0; left--) headers.set(word().toLowerCase(), word().split("\0", 1)[0] ?? "")
  return headers
}

/** Inflates the header blocks of one connection, which are one zlib stream: each of them, in their order, one at a time. */
export class HeaderInflater implements Disposable {
  readonly #inflate = createInflate({ dictionary: spdyDictionary() })

  inflate(block: Buffer): Promise<Buffer> {
    const inflate = this.#inflate
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = []
      let size = 0
      const over = (error?: Error) => {
        inflate.off("data", data).off("error", failed)
        if (error === undefined) resolve(Buffer.concat(parts))
        else {
          inflate.on("error", () => undefined).destroy()
          reject(error)
        }
      }
      const data = (part: Buffer) => {
        size += part.length
        if (size > maxInflated) over(new SpdyError(`expected headers of at most ${maxInflated} bytes, found more`))
        else parts.push(part)
      }
      const failed = ({ message }: Error) => over(new SpdyError(`expected compressed headers, found: ${message}`))
      inflate.on("data", data).once("error", failed)
      inflate.write(block)
      // All of a block can be inflated without the next one: its end is flushed.
      inflate.flush(constants.Z_SYNC_FLUSH, () => over())
    })
  }

  [Symbol.dispose](): void {
    this.#inflate.destroy()
  }
}

/** Compresses the header blocks of one connection, which are one zlib stream: one at a time. */
export class HeaderDeflater implements Disposable {
  /** What is sent are empty blocks: a window of the usual size would take 256 KiB for each connection. */
  readonly #deflate = createDeflate({ dictionary: spdyDictionary(), windowBits: 11, memLevel: 1 })

  deflate(headers: StreamHeaders): Promise<Buffer> {
    const deflate = this.#deflate
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = []
      const data = (part: Buffer) => parts.push(part)
      deflate.on("data", data).once("error", reject)
      deflate.write(encodeHeaders(headers))
      deflate.flush(constants.Z_SYNC_FLUSH, () => {
        deflate.off("data", data).off("error", reject)
        resolve(Buffer.concat(parts))
      })
    })
  }

  [Symbol.dispose](): void {
    this.#deflate.destroy()
  }
}
