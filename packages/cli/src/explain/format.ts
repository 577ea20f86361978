import type { CoreEvent } from "./events.ts"
import { isEventful, lastLooks, type TracedLook } from "./trace.ts"

export interface Explained {
  /** "deployment.apps/web in default" */
  readonly title: string
  /** What the server prints of it: heading and line. */
  readonly state: string
  readonly conditions: readonly string[]
  readonly looks: readonly TracedLook[]
  readonly events: readonly CoreEvent[]
  /** What it owns or what serves it, a table for each kind. */
  readonly dependents: readonly { readonly title: string; readonly table: string }[]
  /** Of a Service: who takes its connections. */
  readonly traffic?: readonly string[]
  /** Where the looks are from, when they are not history. */
  readonly note?: string
}

/** Looks of which the story is told; older ones are in /debug/trace. */
const mostLooks = 12

export function formatExplained({ title, state, conditions, looks, events, dependents, traffic = [], note }: Explained): string {
  const sections = [
    [title, ...indent(state.trimEnd().split("\n"))],
    ...(conditions.length === 0 ? [] : [["Conditions", ...indent(conditions)]]),
    ...(traffic.length === 0 ? [] : [["Traffic", ...indent(traffic)]]),
    ["Now", ...indent(nowLines(looks))],
    ...story(looks, note),
    ...(events.length === 0 ? [] : [["Events", ...indent(events.map(eventLine))]]),
    ...dependents.map(({ title: what, table }) => [what, ...indent(table.trimEnd().split("\n"))]),
  ]
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`
}

/** What each loop thinks now: what it did stands in the story below. */
function nowLines(looks: readonly TracedLook[]): readonly string[] {
  const last = lastLooks(looks)
  if (last.length === 0) return ["no loop has looked at it: none that runs here is concerned with it"]
  const lines = last.flatMap(({ controller, words, error, results }) => {
    const isDry = results === undefined
    const said = error === undefined ? words.filter(isDry ? isOutlook : (line) => !isDeed(line)) : [failure(error, words)]
    const otherwise = isDry && words.length > 0 ? "would do what follows" : "nothing more to do"
    return (said.length === 0 ? [otherwise] : said).map((line) => `${controller}: ${line}`)
  })
  return [...new Set(lines)]
}

/** Something that was done or told, and is over. */
function isDeed(line: string): boolean {
  return line.endsWith(": done") || line.endsWith(": not tried") || line.startsWith("say ")
}

/** What is waited for, in words that are the same whether anything was sent or not. */
function isOutlook(line: string): boolean {
  return /^(nothing to do: |wait for |look again in )/.test(line)
}

function story(looks: readonly TracedLook[], note: string | undefined): readonly (readonly string[])[] {
  const eventful = looks.filter(isEventful)
  if (eventful.length === 0) return note === undefined ? [] : [["What would be done", ...indent([note])]]
  const shown = eventful.slice(-mostLooks)
  const isDry = shown.every(({ results }) => results === undefined)
  const dry = isDry ? "it runs dry: nothing was sent" : undefined
  const would = note ?? dry
  const title = would === undefined ? `What was done, and why${older(eventful.length - shown.length)}` : `What would be done (${would})`
  return [[title, ...indent(shown.flatMap(lookLines))]]
}

function older(count: number): string {
  return count === 0 ? "" : ` (the last ${mostLooks} looks of ${count + mostLooks})`
}

function lookLines({ at, controller, causes, words, error }: TracedLook): readonly string[] {
  const why = causes.length === 0 ? "" : `, because ${causes.join("; ")}`
  return [
    `${clockTime(at)} ${controller}${why}`,
    ...indent(error === undefined ? words : [...words.filter((line) => !line.includes(error)), failure(error, words)]),
  ]
}

/** What it failed at, if a sentence says so, and that it is tried again. Two who write the same object at once is what happens in every cluster, and harms nobody. */
function failure(error: string, words: readonly string[]): string {
  const told = words.find((line) => line.includes(error)) ?? error
  if (!error.includes("the object has been modified")) return `failed, and is tried again: ${told}`
  return `came second, which is harmless: somebody else had written it in between, so it was looked at again (${told})`
}

/** "2026-11-16T03:31:31.123456Z" → "03:31:31.123" */
function clockTime(at: string): string {
  return at.slice(11, 23)
}

function eventLine({ type, reason, message, count, source, age }: CoreEvent): string {
  return `${age} ago  ${type} ${reason} (${source}${count > 1 ? `, ${count} times` : ""}): ${message}`
}

function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`)
}
