import { type Frame, onAbort, PilothouseError } from "@pilothouse/seams"

/** The fault of a scripted stream. */
export type StreamFault =
  /** The connection breaks after so many events; with `inLine`, in the middle of the next one. */
  | { readonly do: "cut"; readonly after: number; readonly inLine?: boolean }
  /** Half-open: after so many events nothing more is sent, and the stream does not end. */
  | { readonly do: "silence"; readonly after: number }

export interface ScriptedStreamOptions {
  readonly signal: AbortSignal | undefined
  /** Lines of JSON in arbitrary chunks, instead of values. */
  readonly wire: boolean
  readonly fault: StreamFault | undefined
  readonly onEnd: () => void
}

/** One watch of the scripted server. */
export class ScriptedStream implements AsyncIterable<Frame> {
  readonly #options: ScriptedStreamOptions
  #frames: Frame[] = []
  #head = 0
  #events = 0
  #notifyReader: (() => void) | undefined
  #over: "no" | "ended" | "broken" = "no"

  constructor(options: ScriptedStreamOptions) {
    this.#options = options
    onAbort(options.signal, () => this.#finish("ended"))
  }

  get unread(): number {
    return this.#frames.length - this.#head
  }

  send(event: unknown): void {
    const { wire, fault } = this.#options
    if (this.#over !== "no" || (fault?.do === "silence" && this.#events >= fault.after)) return
    if (fault?.do === "cut" && this.#events >= fault.after) {
      if (fault.inLine) this.#push({ type: "bytes", bytes: new TextEncoder().encode(JSON.stringify(event).slice(0, 20)) })
      return this.#finish("broken")
    }
    this.#events++
    if (!wire) return this.#push({ type: "value", value: event })
    const bytes = new TextEncoder().encode(`${JSON.stringify(event)}\n`)
    // Split in the middle of keys, numbers and characters.
    for (let at = 0; at < bytes.length; at += 50) this.#push({ type: "bytes", bytes: bytes.subarray(at, at + 50) })
  }

  end(): void {
    if (this.#options.fault?.do !== "silence") this.#finish("ended")
  }

  break(): void {
    if (this.#options.fault?.do !== "silence") this.#finish("broken")
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Frame> {
    try {
      for (;;) {
        const frame = this.#take()
        if (frame !== undefined) yield frame
        else if (this.#over === "broken") throw new PilothouseError("CONNECTION_LOST", "the scripted connection broke")
        else if (this.#over === "ended") return
        else await new Promise<void>((resolve) => (this.#notifyReader = resolve))
      }
    } finally {
      this.#finish("ended")
    }
  }

  /** Not shift(): that moves the rest, and huge lists are part of the tests. */
  #take(): Frame | undefined {
    const frame = this.#frames[this.#head++]
    if (frame !== undefined) return frame
    this.#frames = []
    this.#head = 0
    return undefined
  }

  #push(frame: Frame): void {
    this.#frames.push(frame)
    this.#notifyReader?.()
  }

  #finish(how: "ended" | "broken"): void {
    if (this.#over !== "no") return
    this.#over = how
    this.#options.onEnd()
    this.#notifyReader?.()
  }
}
