import { enums, picks } from "./picks.ts"
import type { ProtoField, ProtoRoot, ProtoType } from "./read-protos.ts"

/** One message as protobufjs reads it: names, numbers and types, and nothing of the comments. */
interface Described {
  fields?: Record<string, { type: string; id: number; rule?: string; keyType?: string }>
  oneofs?: Record<string, { oneof: string[] }>
  values?: Record<string, number>
}

/** "a.b.C" → what it is, for every message and enum that is picked. */
export function describeAll(root: ProtoRoot): Map<string, Described> {
  const known = new Set([...Object.keys(picks), ...enums])
  const described = new Map<string, Described>()
  for (const [name, fields] of Object.entries(picks)) described.set(name, describeMessage(root.lookupType(name), fields, known))
  for (const name of enums) described.set(name, { values: { ...root.lookupEnum(name).values } })
  return described
}

function describeMessage(type: ProtoType, picked: string, known: ReadonlySet<string>): Described {
  const fields: Described["fields"] = {}
  const oneofs: NonNullable<Described["oneofs"]> = {}
  for (const name of picked.split(" ").filter((one) => one !== "")) {
    // The parser's own google.protobuf keeps the names as they are written.
    const field = type.fields[camelCase(name)] ?? type.fields[name]
    if (field === undefined) throw new Error(`expected a field ${name} in ${type.fullName}, found none; mend tools/generate/xds/picks.ts`)
    fields[camelCase(name)] = describeField(field, known)
    if (field.partOf) (oneofs[field.partOf.name] ??= { oneof: [] }).oneof.push(camelCase(name))
  }
  return Object.keys(oneofs).length === 0 ? { fields } : { oneofs, fields }
}

function describeField(field: ProtoField, known: ReadonlySet<string>) {
  const resolved = field.resolvedType?.fullName.slice(1)
  if (resolved !== undefined && !known.has(resolved))
    throw new Error(`expected ${resolved} among the picks, since ${field.fullName} has it; add it to tools/generate/xds/picks.ts`)
  return {
    ...(field.repeated && { rule: "repeated" }),
    ...(field.map && { keyType: field.keyType }),
    type: resolved === undefined ? field.type : `.${resolved}`,
    id: field.id,
  }
}

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())
