import type { YAMLError } from "yaml"

/** What Go's library says where ours says something else: it is what people search for. */
const words: Readonly<Record<string, string>> = {
  BAD_DQ_ESCAPE: "found unknown escape character",
  BAD_SCALAR_START: "found character that cannot start any token",
  BLOCK_AS_IMPLICIT_KEY: "mapping values are not allowed in this context",
  MISSING_CHAR: "found unexpected end of stream",
  MULTILINE_IMPLICIT_KEY: "mapping values are not allowed in this context",
  TAB_AS_INDENT: "found character that cannot start any token",
}

/** A text that says nothing; the message is Go's. */
export class YamlFault extends Error {
  override readonly name = "YamlFault"
}

/** Returns why a text is not YAML: "line 5: found character that cannot start any token". The first line is not said, as by Go. */
export function syntaxFault(code: YAMLError["code"], message: string, line: number): string {
  // prose: the library's own text, whose code does not name the bracket.
  const [first = ""] = message.split("\n")
  return `${line === 1 ? "" : `line ${line}: `}${words[code] ?? unclosed(first) ?? first}`
}

function unclosed(message: string): string | undefined {
  // prose: the library's own text, as above.
  const bracket = /end with a (.)/.exec(message)?.[1]
  return bracket && `did not find expected ',' or '${bracket}'`
}
