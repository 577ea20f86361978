import { raw, type Step, subject } from "../step.ts"

const configMaps = "/api/v1/namespaces/default/configmaps"
const bytes = subject(configMaps, "bytes")

/** A ConfigMap whose value holds these bytes. */
function withBytes(form: "json" | "yaml", value: readonly number[]): Uint8Array {
  const [before, after] =
    form === "json"
      ? ['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"bytes"},"data":{"a":"', '"}}']
      : ['apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bytes}\ndata:\n  a: "', '"\n']
  return Uint8Array.from([...raw(before), ...value, ...raw(after)])
}

/** What is no text, or no text that every reader takes. */
const values: Readonly<Record<string, readonly number[]>> = {
  "a delete character": [0x7f],
  "a control character of C1": [0xc2, 0x80],
  "a next line": [0xc2, 0x85],
  "a byte order mark": [0xef, 0xbb, 0xbf],
  "a noncharacter": [0xef, 0xbf, 0xbf],
  "a character beyond 16 bits": [0xf0, 0x9f, 0x9a, 0xa2],
  "a noncharacter beyond 16 bits": [0xf0, 0x9f, 0xbf, 0xbf],
  "a byte that begins no character": [0xff],
  "a byte in the middle of a character alone": [0x80],
  "a character that breaks off": [0xc3, 0x41],
  "a character in too many bytes": [0xc0, 0x80],
  "half a surrogate pair": [0xed, 0xa0, 0x80],
  "half a surrogate pair, escaped": [...raw("\\ud800")],
  "a surrogate pair, escaped": [...raw("\\ud83d\\udea2")],
  "both halves in the wrong order, escaped": [...raw("\\udea2\\ud83d x")],
  "a backslash before what looks like half a pair": [...raw("\\\\ud83d")],
  "two bytes of a character of three": [0xe2, 0x82, 0x41],
  "two bytes of a character of four": [0xf0, 0x9f, 0x41],
  "a byte beyond Unicode": [0xf5, 0x80, 0x80, 0x80],
  "a character beyond Unicode": [0xf4, 0x90, 0x80, 0x80],
  "a control character, escaped": [...raw("\\u0001\\u007f\\u0080")],
}

const dryRun = { query: { dryRun: "All" } }

export const ofBytes: readonly Step[] = [
  ...Object.entries(values).flatMap(([title, value]) => [
    bytes.apply(`applies ${title} in JSON`, withBytes("json", value), dryRun),
    bytes.apply(`applies ${title} in YAML`, withBytes("yaml", value), dryRun),
    bytes.create(`creates with ${title} in JSON`, withBytes("json", value), dryRun),
    bytes.create(`creates with ${title} in YAML`, withBytes("yaml", value), { ...dryRun, contentType: "application/yaml" }),
  ]),
  bytes.create("create for patches", { metadata: { name: "bytes" }, data: { a: "1" } }),
  ...[[0xef, 0xbb, 0xbf], [0xc3, 0xa9], [0x7f]].flatMap((before) => {
    const text = Uint8Array.from([...before, ...withBytes("json", [0x61])])
    const title = `behind the bytes ${before.map((byte) => byte.toString(16)).join(" ")}`
    return [
      bytes.apply(`applies JSON ${title}`, text, dryRun),
      bytes.create(`creates with JSON ${title}`, text, dryRun),
      bytes.merge(`merges JSON ${title}`, text, dryRun),
    ]
  }),
  ...Object.entries(values).flatMap(([title, value]) => {
    const data = Uint8Array.from([...raw('{"data":{"a":"'), ...value, ...raw('"}}')])
    const operation = Uint8Array.from([...raw('[{"op":"replace","path":"/data/a","value":"'), ...value, ...raw('"}]')])
    return [
      bytes.merge(`merges ${title}`, data, dryRun),
      bytes.strategic(`merges ${title} strategically`, data, dryRun),
      bytes.json(`replaces by ${title}`, operation, dryRun),
    ]
  }),
]
