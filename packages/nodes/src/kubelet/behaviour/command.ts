import type { Container } from "@pilothouse/api/core/v1"
import { durationIn } from "./curve.ts"

/** What a container does when it runs: what it prints and when, and how it ends. */
export interface Course {
  readonly prints: readonly Printed[]
  /** Milliseconds until it ends by itself; Infinity: never. */
  readonly runTime: number
  readonly exitCode: number
}

/** A line that a simulated command prints, and when. */
export interface Printed {
  /** Milliseconds after the start. */
  readonly at: number
  readonly line: string
}

/** Programs that end at once, and whose output does not matter. */
const quick = /^(cat|cd|chmod|chown|cp|curl|date|env|export|expr|grep|hostname|ln|ls|mkdir|mv|printenv|printf|rm|set|test|touch|wget|\[)$/

/** Simulates the command; undefined where it is not understood. Such containers run for ever, as servers do; those of Jobs end at once. */
export function courseOf({ command = [], args = [] }: Pick<Container, "command" | "args">): Course | undefined {
  const words = [...command, ...args]
  if (words.length === 0) return undefined
  const script = scriptIn(words)
  return script === undefined ? play([{ words, after: ";" }]) : play(commandsIn(script))
}

/** `sh -c "…"`: the script. */
function scriptIn([shell = "", flags = "", script]: readonly string[]): string | undefined {
  return /(^|\/)(ba|da|a|z)?sh$/.test(shell) && /^-[a-z]*c$/.test(flags) ? script : undefined
}

interface Command {
  readonly words: readonly string[]
  /** What stands before it: && requires success, || requires failure, ; neither. */
  readonly after: string
}

function commandsIn(script: string): readonly Command[] {
  const parts = script.split(/(&&|\|\||;|\n)/)
  const commands: Command[] = []
  for (let at = 0; at < parts.length; at += 2) {
    const words = wordsIn(parts[at] ?? "")
    if (words.length > 0) commands.push({ words, after: at === 0 || parts[at - 1] === "\n" ? ";" : parts[at - 1]! })
  }
  return commands
}

/** Quotes hold words together; nothing is expanded. */
function wordsIn(text: string): readonly string[] {
  const found = text.trim().matchAll(/(?:"([^"]*)"|'([^']*)'|([^\s"']+))(\s*)/g)
  const words: string[] = []
  let open = false
  for (const [, double, single, plain, space] of found) {
    const word = double ?? single ?? plain ?? ""
    if (open) words.push(`${words.pop()}${word}`)
    else words.push(word)
    open = space === ""
  }
  return words
}

function play(commands: readonly Command[]): Course | undefined {
  const prints: Printed[] = []
  let runTime = 0
  let exitCode = 0
  for (const { words, after } of commands) {
    if ((after === "&&" && exitCode !== 0) || (after === "||" && exitCode === 0)) continue
    const done = simple(words)
    if (done === undefined)
      return prints.length === 0 && runTime === 0 ? undefined : { prints, runTime: Number.POSITIVE_INFINITY, exitCode }
    if (done.line !== undefined) prints.push({ at: runTime, line: done.line })
    runTime += done.takes ?? 0
    exitCode = done.exitCode ?? 0
    if (done.leaves) break
  }
  return { prints, runTime, exitCode }
}

interface Done {
  readonly line?: string
  readonly takes?: number
  readonly exitCode?: number
  readonly leaves?: boolean
}

/** One command without a shell's punctuation. Undefined: unknown, and so taken to run for ever. */
function simple([program = "", ...rest]: readonly string[]): Done | undefined {
  const name = program.split("/").at(-1) ?? ""
  if (name === "exec") return simple(rest)
  if (name === "sleep") return { takes: sleepTime(rest) }
  if (name === "exit") return { exitCode: Number.parseInt(rest[0] ?? "0", 10) & 255, leaves: true }
  if (name === "echo") return rest.some((word) => /^[|>]/.test(word)) ? {} : { line: echoed(rest) }
  if (name === "true" || name === ":") return {}
  if (name === "false") return { exitCode: 1 }
  return quick.test(name) ? {} : undefined
}

/** `sleep 5`, `sleep 1m 30s`, `sleep infinity`. */
function sleepTime(words: readonly string[]): number {
  const times = words.map((word) => {
    if (/^inf/i.test(word)) return Number.POSITIVE_INFINITY
    if (/^[\d.]+d$/.test(word)) return Number.parseFloat(word) * 86_400_000
    return durationIn(/^[\d.]+$/.test(word) ? `${word}s` : word) ?? 0
  })
  return times.reduce((sum, time) => sum + time, 0)
}

function echoed(words: readonly string[]): string {
  return words.filter((word, at) => !(at === 0 && /^-[neE]+$/.test(word))).join(" ")
}
