import type { Readable, Writable } from "node:stream"

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly width: number
  readonly height: number
}

/** How a command has ended. */
export interface CommandOutcome {
  /** Left out: it could not be run, or its stream broke; `message` says why. */
  readonly exitCode?: number
  readonly message?: string
}

/** The other end of exec or attach, whatever it speaks. Streams that it has not asked for are undefined. */
export interface CommandClient {
  readonly stdin: Readable | undefined
  readonly stdout: Writable | undefined
  readonly stderr: Writable | undefined
  onResize(listener: (size: TerminalSize) => void): void
  /** Sends how it ended, behind all output, and closes the connection. */
  finish(outcome: CommandOutcome): Promise<void>
  /** Aborts when the connection is over. */
  readonly closed: AbortSignal
}

/** The streams of a command that its client requests. */
export interface WantedStreams {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

/** Parses a resize message, {"Width":80,"Height":24}; undefined for what is none. Go reads the names in any case. */
export function terminalSizeIn(text: string): TerminalSize | undefined {
  if (text.length > maxResize) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== "object" || value === null) return undefined
    const fields = new Map(Object.entries(value).map(([name, number]) => [name.toLowerCase(), number]))
    const [width, height] = [fields.get("width"), fields.get("height")]
    return isSize(width) && isSize(height) ? { width, height } : undefined
  } catch {
    // Upstream ends the reading of sizes at the first that is none; the next one is as good.
    return undefined
  }
}

const maxResize = 1024

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value <= 0xffff
}
