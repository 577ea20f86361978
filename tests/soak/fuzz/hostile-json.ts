import type { BytesBody, Random } from "@pilothouse/seams"

/** JSON that a parser takes and a program stumbles over, or that no parser should take: put in the place of one value of a good text. */
export function hostileJson(random: Random, object: unknown, contentType: string): BytesBody {
  const text = JSON.stringify(object) ?? "{}"
  const places = [...text.matchAll(/[:[,](?=["{[\dtfn-])/g)].map(({ index }) => index + 1)
  const at = places.length === 0 ? 0 : places[random.int(places.length)]!
  const hostile = hostiles[random.int(hostiles.length)]!
  const isKey = hostile.endsWith(":")
  const changed = isKey
    ? text.replaceAll(/\{(?=")/g, `{${hostile}{"a":1},`)
    : `${text.slice(0, at)}${hostile}${text.slice(at + valueLength(text, at))}`
  return { type: "bytes", bytes: withBrokenText(random, new TextEncoder().encode(changed)), contentType }
}

const deep = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth)

const hostiles: readonly string[] = [
  deep(200, "[", "]"),
  deep(9_000, "[", "]"),
  deep(100_000, "[", "]"),
  `${'{"a":'.repeat(9_000)}1${"}".repeat(9_000)}`,
  `${'{"spec":'.repeat(2_000)}{}${"}".repeat(2_000)}`,
  "1e400",
  "-1e400",
  "1e-400",
  "-0",
  "123456789012345678901234567890",
  "0.1e1",
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"\\uFFFF"',
  `"${"x".repeat(100_000)}"`,
  "NaN",
  "undefined",
  "01",
  "'a'",
  '"__proto__":',
  '"constructor":',
  '"hasOwnProperty":',
  '"toString":',
  '"metadata":',
  '"":',
]

/** Of a text or a number that stands there; nothing else is taken out. */
function valueLength(text: string, at: number): number {
  return /^(?:"(?:[^"\\]|\\.)*"|[\d.eE+-]+|true|false|null)/.exec(text.slice(at, at + 400))?.[0].length ?? 0
}

/** Sometimes a byte that is no UTF-8. */
function withBrokenText(random: Random, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (random.int(6) === 0 && bytes.length > 0) bytes[random.int(bytes.length)] = [0xff, 0xc0, 0xed, 0x80][random.int(4)]!
  return bytes
}
