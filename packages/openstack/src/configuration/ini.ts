import { PilothouseError } from "@pilothouse/seams"

/** Sections by name, options by name; an option that stands several times has the last value, as oslo.config has it. */
export type Sections = Readonly<Record<string, Readonly<Record<string, string>>>>

/**
 * Reads what oslo.config reads: `[section]`, `name = value` or `name: value`, whole-line comments with # or ;, and lines that go on a value because
 * they begin with a blank. There are no comments behind a value. Anything else is an error with its line: a typing mistake must not become a default.
 * `repeated` is called with options that occur again.
 */
export function parseIni(text: string, file = "the file", repeated?: (option: string) => void): Sections {
  const reading: Reading = { sections: emptyTable(), title: undefined, last: undefined, repeated }
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const wrong = take(reading, line)
    if (wrong === undefined) continue
    throw new PilothouseError("INVALID", `${file} line ${index + 1}: expected [section] or name = value, found ${wrong}`)
  }
  return reading.sections
}

/** What was read so far. */
interface Reading {
  readonly sections: Record<string, Record<string, string>>
  /** Of the section that options belong to now. */
  title: string | undefined
  /** The option that an indented line goes on. */
  last: string | undefined
  readonly repeated?: (option: string) => void
}

/** Without a prototype: a section may be named `__proto__` or `constructor`. */
function emptyTable<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>
}

/** Reads a line, or says what is wrong with it. */
function take(reading: Reading, line: string): string | undefined {
  if (line.trim() === "") reading.last = undefined
  if (isSilent(line)) return undefined
  const header = /^\[([^\]]+)\]\s*$/.exec(line)?.[1]
  if (header === undefined) return /^\s/.test(line) ? goOn(reading, line.trim()) : takeOption(reading, line)
  reading.title = header
  reading.last = undefined
  reading.sections[header] ??= emptyTable()
  return undefined
}

function goOn({ sections, title = "", last }: Reading, text: string): string | undefined {
  const section = sections[title]
  if (section === undefined || last === undefined) return "a line that goes on nothing"
  section[last] = `${section[last]}\n${text}`
  return undefined
}

function takeOption(reading: Reading, line: string): string | undefined {
  const { sections, title = "", repeated } = reading
  const [, name, value = ""] = /^([^=:\s[]+)\s*[=:](.*)$/.exec(line) ?? []
  if (name === undefined) return shown(line.trim())
  const section = sections[title]
  if (section === undefined) return `the option ${name} before any section`
  if (section[name] !== undefined) repeated?.(`[${title}] ${name}`)
  section[name] = value.trim()
  reading.last = name
  return undefined
}

/** The rest may be a password whose sign of equality was forgotten. */
function shown(line: string): string {
  const [first = "", ...others] = line.split(/\s+/)
  const start = first.slice(0, 80)
  return JSON.stringify(others.length === 0 && start === first ? start : `${start} …`)
}

/** An empty line, or a comment. */
function isSilent(line: string): boolean {
  return line.trim() === "" || /^\s*[#;]/.test(line)
}
