import { apiVersionOf } from "@pilothouse/api"
import { descriptorForResource } from "@pilothouse/api/descriptors"
import { encodeProtobuf, protobufContentType } from "@pilothouse/api/protobuf"
import type { BytesBody, Random } from "@pilothouse/seams"

/** A good object as protobuf, then hit in some places: lengths that lie, unknown tags, text that is none. */
export function hitProtobuf(random: Random, group: string, plural: string, object: object): BytesBody {
  const parts = group.split("/").slice(2)
  const [name = "", version = "v1"] = parts.length === 2 ? parts : ["", parts[0]]
  const descriptor = descriptorForResource({ group: name, version, plural })
  const kind = descriptor && { kind: descriptor.kind, apiVersion: apiVersionOf(descriptor) }
  return { type: "bytes", bytes: hit(random, encodeProtobuf({ ...object, ...kind })), contentType: protobufContentType }
}

/** The same as YAML: anchors, tabs, tags and quotes where none belong. */
export function hitYaml(random: Random, object: unknown): BytesBody {
  const text = `${random.int(3) === 0 ? tangle(random) : ""}${yamlOf(object)}`
  const marks = ["\t", "&a ", "*a", "!!binary ", "'", '"', "- ", ": ", "|", "{", "]", "<<: *a", "%", "\u0000", "---\n", "1e999", "~"]
  let changed = text
  for (let count = random.int(4); count > 0; count--) {
    const at = random.int(changed.length + 1)
    changed = `${changed.slice(0, at)}${marks[random.int(marks.length)]}${changed.slice(at + random.int(3))}`
  }
  return { type: "bytes", bytes: new TextEncoder().encode(changed), contentType: "application/yaml" }
}

/** Anchors and their aliases, level upon level, in lists, maps and merges: some of nothing, some of themselves, some of names said twice or never. */
function tangle(random: Random): string {
  const [levels, width] = [1 + random.int(9), 1 + random.int(12)]
  const merges = random.int(2) === 0
  const name = (level: number) => (random.int(40) === 0 ? "t" : `t${level}`)
  const aliases = (level: number) =>
    Array.from({ length: width }, () => `*${name(random.int(30) === 0 ? random.int(levels) : level)}`).join(", ")
  const line = (level: number) => {
    const inner = `[${aliases(level - 1)}]`
    return `t${level}: &${name(level)} ${merges ? `{<<: ${inner}}` : random.int(2) === 0 ? inner : `{a: ${inner}}`}\n`
  }
  return [`t0: &t0 ${merges ? "{}" : "x"}\n`, ...Array.from({ length: levels }, (_, index) => line(index + 1))].join("")
}

/** Bytes with some of them flipped, left out or said twice; sometimes as they were. */
function hit(random: Random, bytes: Uint8Array): Uint8Array {
  const changed = [...bytes]
  for (let count = random.int(4); count > 0; count--) {
    const at = random.int(changed.length)
    const way = random.int(3)
    if (way === 0) changed[at] = random.int(256)
    else if (way === 1) changed.splice(at, 1 + random.int(4))
    else changed.splice(at, 0, ...changed.slice(at, at + random.int(8)))
  }
  return Uint8Array.from(changed)
}

/** In blocks, as people write it; the values are JSON, which is YAML too. */
function yamlOf(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) return `${JSON.stringify(value) ?? "null"}\n`
  const inner = (nested: unknown) => {
    const text = yamlOf(nested, `${indent}  `)
    return text.startsWith(`${indent}  `) ? `\n${text}` : ` ${text}`
  }
  if (Array.isArray(value)) return value.map((item) => `${indent}-${inner(item)}`).join("")
  return Object.entries(value)
    .map(([key, nested]) => `${indent}${JSON.stringify(key)}:${inner(nested)}`)
    .join("")
}
