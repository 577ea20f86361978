import { Readable, type Transform } from "node:stream"
import { createGunzip, createInflateRaw } from "node:zlib"
import type { Frame, HeaderMap, Stream } from "@pilothouse/seams"

/** Attributes that hold a URL, by their elements: those that upstream rewrites. */
const urlAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ["href"],
  applet: ["codebase"],
  area: ["href"],
  audio: ["src"],
  base: ["href"],
  blockquote: ["cite"],
  body: ["background"],
  button: ["formaction"],
  command: ["icon"],
  del: ["cite"],
  embed: ["src"],
  form: ["action"],
  frame: ["longdesc", "src"],
  head: ["profile"],
  html: ["manifest"],
  iframe: ["longdesc", "src"],
  img: ["longdesc", "src", "usemap"],
  input: ["src", "usemap", "formaction"],
  ins: ["cite"],
  link: ["href"],
  object: ["classid", "codebase", "data", "usemap"],
  q: ["cite"],
  script: ["src"],
  source: ["src"],
  video: ["poster", "src"],
}

/** What stands in them is text up to their end tag. */
const textElements: ReadonlySet<string> = new Set([
  "iframe",
  "noembed",
  "noframes",
  "noscript",
  "plaintext",
  "script",
  "style",
  "textarea",
  "title",
  "xmp",
])

/** Characters of a tag; a longer one goes on as it is. */
const maxTag = 16 * 1024

const decoders: Readonly<Record<string, () => Transform>> = { gzip: createGunzip, deflate: createInflateRaw }

/** A page with other URLs, piece by piece. One that is compressed is not any more; one in an encoding that is not known here stays as it is. */
export function rewritePage(
  headers: HeaderMap,
  body: Stream,
  rewrite: (url: string) => string,
): { readonly headers: HeaderMap; readonly body: Stream } {
  const encoding = headers["content-encoding"] ?? ""
  const decoder = decoders[encoding]
  if (encoding !== "" && decoder === undefined) return { headers, body }
  const { "content-length": _length, "content-encoding": _encoding, ...others } = headers
  const frames = decoder === undefined ? body.frames : decoded(body.frames, decoder())
  return { headers: others, body: { type: "stream", frames: rewritten(frames, new HtmlRewriter(rewrite)) } }
}

async function* rewritten(frames: AsyncIterable<Frame>, page: HtmlRewriter): AsyncGenerator<Frame> {
  for await (const frame of frames) {
    if (frame.type !== "bytes") continue
    const text = page.push(Buffer.from(frame.bytes).toString("latin1"))
    if (text !== "") yield { type: "bytes", bytes: Buffer.from(text, "latin1") }
  }
  const rest = page.end()
  if (rest !== "") yield { type: "bytes", bytes: Buffer.from(rest, "latin1") }
}

/** As fast as it is read: what comes out of a few bytes may be a thousand times as long. */
async function* decoded(frames: AsyncIterable<Frame>, decoder: Transform): AsyncGenerator<Frame> {
  const source = Readable.from(bytesOf(frames))
  source.on("error", (error) => decoder.destroy(error))
  try {
    for await (const bytes of source.pipe(decoder)) yield { type: "bytes", bytes: bytes as Buffer }
  } finally {
    source.destroy()
    decoder.destroy()
  }
}

async function* bytesOf(frames: AsyncIterable<Frame>): AsyncGenerator<Uint8Array> {
  for await (const frame of frames) if (frame.type === "bytes") yield frame.bytes
}

type State = "text" | "tag" | "comment" | "raw"

/**
 * Rewrites the URLs in tags of a page that comes in pieces, cut anywhere; all else stays as it was written. One character per byte is expected, which
 * holds for every encoding that has ASCII in it. Takes linear time. Invariant: what is kept for the next piece is at most one tag of 16 KiB.
 */
export class HtmlRewriter {
  readonly #rewrite: (url: string) => string
  #state: State = "text"
  /** Not given out yet: the beginning of a tag, or of what ends a comment or a text. */
  #kept = ""
  /** The element whose text is being read. */
  #element = ""

  constructor(rewrite: (url: string) => string) {
    this.#rewrite = rewrite
  }

  /** Returns what is known of the page so far, and was not returned before. */
  push(piece: string): string {
    const input = this.#kept + piece
    this.#kept = ""
    const out: string[] = []
    let at = 0
    while (at < input.length) {
      const end = this.#step(input, at, out)
      if (end === undefined) {
        this.#keep(input.slice(at), out)
        break
      }
      at = end
    }
    return out.join("")
  }

  /** Returns the rest: a tag that never ended is none. */
  end(): string {
    const rest = this.#kept
    this.#kept = ""
    return rest
  }

  /** Returns where the next step begins; undefined where more of the page is needed. */
  #step(input: string, at: number, out: string[]): number | undefined {
    if (this.#state === "text") return this.#text(input, at, out)
    if (this.#state === "comment") return this.#until(input, at, "-->", out)
    if (this.#state === "raw") return this.#raw(input, at, out)
    return this.#tag(input, at, out)
  }

  #text(input: string, at: number, out: string[]): number | undefined {
    const open = input.indexOf("<", at)
    if (open < 0) {
      out.push(input.slice(at))
      return input.length
    }
    if (open > at) out.push(input.slice(at, open))
    const next = input.slice(open, open + 4)
    if (next === "<" || (next.length < 4 && "<!--".startsWith(next))) return this.#waitFrom(input, open, out, at)
    this.#state = next === "<!--" ? "comment" : /^<[a-z/!?]/i.test(next) ? "tag" : "text"
    if (this.#state !== "text") return open
    out.push("<")
    return open + 1
  }

  /** What stands before is given out already: the rest waits. */
  #waitFrom(input: string, open: number, out: string[], at: number): number | undefined {
    if (open === at) return undefined
    this.#keep(input.slice(open), out)
    return input.length
  }

  #until(input: string, at: number, mark: string, out: string[]): number {
    // "<!-->" is a whole comment.
    const found = input.indexOf(mark, at + 2)
    if (found >= 0) {
      this.#state = "text"
      out.push(input.slice(at, found + mark.length))
      return found + mark.length
    }
    const safe = Math.max(at, input.length - mark.length - 1)
    out.push(input.slice(at, safe))
    this.#kept = input.slice(safe)
    return input.length
  }

  #raw(input: string, at: number, out: string[]): number | undefined {
    const close = `</${this.#element}`
    let open = input.indexOf("</", at)
    while (open >= 0) {
      const found = input.slice(open, open + close.length + 1).toLowerCase()
      if (found.length <= close.length && close.startsWith(found.slice(0, close.length))) {
        out.push(input.slice(at, open))
        this.#kept = input.slice(open)
        return input.length
      }
      if (found.startsWith(close) && /[\s/>]$/.test(found)) {
        out.push(input.slice(at, open))
        this.#state = "tag"
        return open
      }
      open = input.indexOf("</", open + 2)
    }
    const safe = input.endsWith("<") ? input.length - 1 : input.length
    out.push(input.slice(at, safe))
    this.#kept = input.slice(safe)
    return input.length
  }

  #tag(input: string, at: number, out: string[]): number | undefined {
    const end = endOfTag(input, at)
    if (end === undefined && input.length - at <= maxTag) return undefined
    const tag = input.slice(at, end ?? input.length)
    this.#state = "text"
    if (end === undefined || tag.length > maxTag) {
      out.push(tag)
      return at + tag.length
    }
    const name = /^<([a-z][^\s/>]*)/i.exec(tag)?.[1]?.toLowerCase() ?? ""
    out.push(Object.hasOwn(urlAttributes, name) ? rewrittenTag(tag, urlAttributes[name]!, this.#rewrite) : tag)
    if (textElements.has(name)) {
      this.#state = "raw"
      this.#element = name
    }
    return end
  }

  #keep(rest: string, out: string[]): void {
    if (rest.length <= maxTag + 4) this.#kept = rest
    else out.push(rest)
  }
}

/** The place behind the ">" of a tag; one in a quoted value is none. */
function endOfTag(input: string, at: number): number | undefined {
  const piece = /[^>"']*(?:"[^"]*"[^>"']*|'[^']*'[^>"']*)*>/y
  if (!/[a-z]/i.test(input[at + 1] ?? "")) {
    const close = input.indexOf(">", at)
    return close < 0 ? undefined : close + 1
  }
  piece.lastIndex = at
  return piece.test(input) ? piece.lastIndex : undefined
}

/** Names without a value are matched too, so that each character is looked at once. */
function rewrittenTag(tag: string, names: readonly string[], rewrite: (url: string) => string): string {
  const attributes = /([^\s"'<>/=]+)(?:(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+))?/g
  return tag.replaceAll(attributes, (whole, name: string, equals: string, value: string | undefined) => {
    if (value === undefined || !names.includes(name.toLowerCase())) return whole
    const quote = /^["']/.test(value) ? value[0]! : ""
    const url = quote === "" ? value : value.slice(1, -1)
    return `${name}${equals}${quote}${rewrite(url)}${quote}`
  })
}
