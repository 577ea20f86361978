/** A text of about so many characters. */
export type Alphabet = (size: number) => string

/** Repeats a part, and ends with something that does not belong: that is when a pattern goes back and tries again. */
function repeated(part: string, end = "", start = ""): Alphabet {
  return (size) => `${start}${part.repeat(Math.max(1, Math.ceil(size / part.length)))}${end}`
}

/** What parsers of every grammar that is here have trouble with: repetitions that almost are what they should be. */
export const alphabets: Readonly<Record<string, Alphabet>> = {
  zeros: repeated("0", "x"),
  digits: repeated("1", "!"),
  "digits and a point": (size) => `${"0".repeat(size / 2)}.${"0".repeat(size / 2)}x`,
  "a number": repeated("9"),
  suffixes: repeated("Ki", "x", "1"),
  durations: repeated("1h", "x"),
  "a duration's digits": repeated("1", "h1", "1h"),
  slashes: repeated("/", "x"),
  "slashes between": repeated("a/", "/"),
  spaces: repeated(" ", "x", "1"),
  "spaces between": repeated("a ", "\u0000"),
  tabs: repeated("\t", "x"),
  lines: repeated("a\n", "\u0000"),
  steps: repeated("*/1,", " * * * *"),
  stars: repeated("* ", "x"),
  names: repeated("a.", "_"),
  dashes: repeated("-", "_", "a"),
  "a name": repeated("a"),
  equals: repeated("=", ","),
  commas: repeated(",", "("),
  requirements: repeated("a=b,", "("),
  parentheses: repeated("(", "a"),
  values: repeated("a,", ")", "a in ("),
  braces: repeated("{{", "x"),
  references: repeated("$(a)", "$("),
  dollars: repeated("$", "("),
  base64: repeated("eA", "="),
  unicode: repeated("ü💥", "\ud800"),
  colons: repeated(":", "g"),
  addresses: repeated("fd00:", "g"),
  octets: repeated("1.", "x"),
  ports: repeated("1:", "x"),
  brackets: repeated("[", "x"),
  backslashes: repeated("\\", '"'),
  quotes: repeated('"', "'"),
  "key and value": repeated("a: ", "\t"),
  percent: repeated("%", "z"),
  escapes: repeated("%2f", "%"),
  semicolons: repeated("a;", "="),
  signs: repeated("+-", "e"),
  exponents: repeated("1e", "."),
  commands: repeated("sleep 1; ", "x"),
}

export const alphabetNames: readonly string[] = Object.keys(alphabets)
