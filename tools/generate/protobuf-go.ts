// Reads Go struct definitions: the tags hold both the JSON name and the protobuf number of a field, which generated.proto alone does not relate
// (proto `volumeSource` is inlined in JSON, `jSONPath` is "jsonPath", `xKubernetesListType` is "x-kubernetes-list-type").

export interface GoField {
  /** "" when the fields of this struct are written among its parent's. */
  readonly jsonName: string
  readonly inline: boolean
  readonly omitempty: boolean
  /** Its comment says `+optional`. */
  readonly optional: boolean
  readonly omitzero: boolean
  readonly pointer: boolean
  readonly number: number
  /** As the tag says; undefined where it says none. */
  readonly protoName: string | undefined
}

export interface GoStruct {
  /** Has its own apiVersion and kind: can be a whole body. */
  readonly isKind: boolean
  readonly fields: ReadonlyMap<number, GoField>
}

export interface GoPackage {
  readonly structs: Map<string, GoStruct>
  /** Named slice types: `type Verbs []string`. */
  readonly lists: Set<string>
}

export function parseGo(sources: readonly string[]): GoPackage {
  const structs = new Map<string, GoStruct>()
  const lists = new Set<string>()
  for (const source of sources) {
    for (const [, name, body] of source.matchAll(/^type (\w+) struct ?\{(?:\}|\n([\s\S]*?)^\})/gm)) {
      if (name !== undefined) structs.set(name, parseStruct(body ?? ""))
    }
    for (const [, name] of source.matchAll(/^type (\w+) \[\]/gm)) if (name !== undefined) lists.add(name)
  }
  return { structs, lists }
}

function parseStruct(body: string): GoStruct {
  const fields = new Map<number, GoField>()
  let isKind = false
  let optional = false
  for (const line of body.split("\n")) {
    if (/^\s*\/\/ *\+optional\b/.test(line)) optional = true
    const match = /^\s+(?:\w+\s+)?([\w.*[\]]+)\s+`(.*)`/.exec(line)
    if (match === null) continue
    const [, type = "", tags = ""] = match
    if (/^(\w+\.)?TypeMeta$/.test(type)) isKind = true
    const field = parseTags(tags, type.startsWith("*"), optional)
    if (field !== undefined) fields.set(field.number, field)
    optional = false
  }
  return { isKind, fields }
}

function parseTags(tags: string, pointer: boolean, optional: boolean): GoField | undefined {
  const [jsonName = "", ...options] = tagOf(tags, "json")
  const [, number, ...protobuf] = tagOf(tags, "protobuf")
  if (number === undefined) return undefined
  return {
    jsonName,
    inline: options.includes("inline"),
    omitempty: options.includes("omitempty"),
    omitzero: options.includes("omitzero"),
    optional,
    pointer,
    number: Number(number),
    protoName: protobuf.find((part) => part.startsWith("name="))?.slice("name=".length),
  }
}

/** The parts of `json:"metadata,omitempty"`; none where there is no such tag. */
function tagOf(tags: string, key: string): string[] {
  return new RegExp(`\\b${key}:"([^"]*)"`).exec(tags)?.[1]?.split(",") ?? []
}
