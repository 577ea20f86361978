import { messageOf, PilothouseError } from "./errors.ts"

/** Parses a file of credentials. The error of a file that cannot be parsed says what is wrong and where, and quotes nothing of the file. */
export function withoutSecrets(path: string, parse: () => unknown): unknown {
  try {
    return parse()
  } catch (cause) {
    // The library goes on with what it found, in which there may be a token: after a colon, and as an excerpt in the next lines.
    const [message = ""] = messageOf(cause).split("\n")
    // prose: the library's own text, which has no other form.
    const [what] = message.split(/: | at line /)
    // prose: the library's own text, which has no other form.
    const where = / at line \d+, column \d+/.exec(message)?.[0] ?? ""
    throw new PilothouseError("INVALID", `expected YAML in ${path}, found: ${what}${where}; mend the file`)
  }
}
