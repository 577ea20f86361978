// Reads generated.proto files: message names, field numbers and wire types. They are machine-written, so a few regular expressions read them whole.

export interface ProtoField {
  readonly number: number
  readonly name: string
  readonly label: "optional" | "repeated" | "map"
  /** "string", "int32", "Container", "k8s.io.api.core.v1.PodTemplateSpec"; of a map: the type of its values. */
  readonly type: string
}

export interface ProtoFile {
  /** "k8s.io.api.core.v1" */
  readonly package: string
  readonly messages: ReadonlyMap<string, readonly ProtoField[]>
}

const fieldPattern = /^(?:(optional|repeated) ([\w.]+)|map<string, ([\w.]+)>) (\w+) = (\d+)$/

export function parseProto(text: string, path: string): ProtoFile {
  const source = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "")
  const name = /^package ([\w.]+);/m.exec(source)?.[1]
  if (name === undefined) throw new Error(`${path}: no package line`)
  const messages = new Map<string, readonly ProtoField[]>()
  for (const [, message, body] of source.matchAll(/^message (\w+) \{([^}]*)\}/gm)) {
    if (message !== undefined && body !== undefined) messages.set(message, parseFields(body, `${path}: ${message}`))
  }
  return { package: name, messages }
}

function parseFields(body: string, place: string): ProtoField[] {
  const statements = body
    .split(";")
    .map((statement) => statement.replace(/\s+/g, " ").trim())
    .filter((statement) => statement !== "" && !statement.startsWith("reserved "))
  return statements.map((statement) => parseField(statement, place))
}

function parseField(statement: string, place: string): ProtoField {
  const match = fieldPattern.exec(statement)
  if (match === null) throw new Error(`${place}: cannot read the field "${statement}"`)
  const [, label, type, mapType, name, number] = match
  return {
    number: Number(number),
    name: name ?? "",
    label: mapType === undefined ? (label as "optional" | "repeated") : "map",
    type: (mapType ?? type ?? "").replace(/^\./, ""),
  }
}
