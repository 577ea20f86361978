import { parseTime } from "@pilothouse/api"
import { milliseconds } from "@pilothouse/seams"
import { remaining } from "./remaining.ts"
import { shortDuration } from "./short-duration.ts"
import { lastLooks, type TracedLook } from "./trace.ts"

/** What each loop thinks now, and what it waits for: what it did stands in the story. Before that what is to know of a kind that is `unserved`. */
export function nowLines(looks: readonly TracedLook[], now: number, unserved?: string): readonly string[] {
  const last = lastLooks(looks)
  if (last.length === 0) return [unserved ?? "no loop has looked at it: none has to, or it was long ago and is forgotten"]
  const said = last.flatMap((look) => thoughts(look, now).map((line) => `${look.controller}${since(look, line, now)}: ${line}`))
  return [...new Set([...(unserved === undefined ? [] : [unserved]), ...said])]
}

/** Milliseconds for which what a loop thought needs no date. */
const fresh = 60_000

/** What nobody has woken a loop for since may not be so any more; what is to come is told from now on. */
function since({ at }: TracedLook, line: string, now: number): string {
  const age = now - parseTime(at)
  return age < fresh || line.startsWith("look again ") ? "" : ` (${shortDuration(age)} ago)`
}

function thoughts(look: TracedLook, now: number): readonly string[] {
  if (look.absent === true) return ["does not run here: --controllers of this cluster leaves it out"]
  const { words, error, results } = look
  if (error !== undefined) return [failure(error, words, outlook(look, now))]
  const isDry = results === undefined
  const said = words.filter(isDry ? isOutlook : (line) => !isDeed(line) && !isNote(line)).map((line) => byNow(line, look, now))
  if (said.length > 0) return said
  return [isDry && words.length > 0 ? "would do what follows" : "nothing more to do"]
}

/** Something that was done or told, and is over. */
function isDeed(line: string): boolean {
  return line.endsWith(": done") || line.endsWith(": not tried") || line.startsWith("say ")
}

/** What a loop notes for itself: that a node was heard of. */
export function isNote(line: string): boolean {
  return line.startsWith("remember ")
}

/** What is waited for, in words that are the same whether anything was sent or not. */
function isOutlook(line: string): boolean {
  return /^(nothing to do: |cannot go on: |wait for |look again in )/.test(line)
}

/** A look says how long it will be from then; whoever reads it later wants to know how long it is from now. */
function byNow(line: string, { at }: TracedLook, now: number): string {
  const [, after, rest] = line.match(/^look again in (\S+)(, because .*)$/) ?? []
  return after === undefined ? line : `look again ${left(parseTime(at) + milliseconds(after) - now)}${rest}`
}

/** "in 4m59s" */
function left(time: number): string {
  return time < 500 ? "any moment" : `in ${remaining(time)}`
}

function outlook({ failures = 1, givenUp, nextAt }: TracedLook, now: number): string {
  const times = failures > 1 ? `failed ${failures} times in a row` : "failed"
  if (givenUp) return `${times}, and is not tried again until something changes`
  return `${times}, and is tried again${nextAt === undefined ? "" : ` ${left(parseTime(nextAt) - now)}`}`
}

/** What it failed at, if a sentence says so. Two who write the same object at once is what happens in every cluster, and harms nobody. */
export function failure(error: string, words: readonly string[], outcome = "failed, and is tried again"): string {
  const told = words.find((line) => line.includes(error)) ?? error
  if (!error.includes("the object has been modified")) return `${outcome}: ${told}`
  return `came second, which is harmless: somebody else had written it in between, so it was looked at again (${told})`
}
