import { PilothouseError } from "@pilothouse/seams"

/** Sections by name, options by name; an option that stands several times has the last value, as oslo.config has it. */
export type Sections = Readonly<Record<string, Readonly<Record<string, string>>>>

/**
 * Reads what oslo.config reads: `[section]`, `name = value` or `name: value`, whole-line comments with # or ;, and lines that go on a value because
 * they begin with a blank. There are no comments behind a value. Anything else is an error with its line: a typing mistake must not become a default.
 */
export function parseIni(text: string, file = "the file"): Sections {
  const sections: Record<string, Record<string, string>> = {}
  let section: Record<string, string> | undefined
  let last: string | undefined
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const wrong = (found: string) =>
      new PilothouseError("INVALID", `${file} line ${index + 1}: expected [section] or name = value, found ${found}`)
    if (line.trim() === "") last = undefined
    if (isSilent(line)) continue
    const header = /^\[([^\]]+)\]\s*$/.exec(line)?.[1]
    if (header !== undefined) {
      section = sections[header] ??= {}
      last = undefined
    } else if (/^\s/.test(line)) {
      if (section === undefined || last === undefined) throw wrong("a line that goes on nothing")
      section[last] = `${section[last]}\n${line.trim()}`
    } else {
      const [, name, value = ""] = /^([^=:\s[]+)\s*[=:]\s*(.*)$/.exec(line) ?? []
      if (name === undefined) throw wrong(JSON.stringify(line.trim()))
      if (section === undefined) throw wrong(`the option ${name} before any section`)
      section[name] = value.trim()
      last = name
    }
  }
  return sections
}

/** An empty line, or a comment. */
function isSilent(line: string): boolean {
  return line.trim() === "" || /^\s*[#;]/.test(line)
}
