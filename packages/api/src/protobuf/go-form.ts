// How Go's JSON has the fields of a type, for values that came as JSON: the tables know it of every field.
import type { Schema } from "../schema/schema.ts"
import { type Field, findType, type Message, messageOf, Shape, Type } from "./table.ts"
import { zeroOf } from "./zero.ts"

/** What Go does with the fields of one type. Names are those in JSON; embedded structs are spread out. */
export interface GoForm {
  /** Left out when "", 0 or false: values with `omitempty`. */
  readonly omitsZero: ReadonlySet<string>
  /** Always written. `zero` makes the value of an unset field; never null. */
  readonly always: readonly { readonly name: string; readonly zero: () => unknown }[]
  /** Written as null when they are nil, empty or unset. */
  readonly nulls: readonly string[]
}

const nothing: GoForm = { omitsZero: new Set(), always: [], nulls: [] }

/** A cache of what the constant tables say, filled as types are met. */
const forms = new WeakMap<Schema, GoForm>()

/** Returns the Go form of an object's type; types that no table has (custom resources) are written as they are. */
export function goFormOf(schema: Schema): GoForm {
  const known = forms.get(schema)
  if (known !== undefined) return known
  const [group, version] = (schema.package ?? "").split(".").slice(-2)
  const message = findType(`${group}/${version}`, schema.name ?? "")
  const form = message === undefined || message.isUnion ? nothing : formOf(message)
  forms.set(schema, form)
  return form
}

function formOf(message: Message): GoForm {
  const fields = flatFields(message)
  return {
    omitsZero: new Set(fields.filter(isOmittedZero).map(({ name }) => name)),
    always: fields.filter(isAlways).map((field) => ({ name: field.name, zero: () => emptyOf(field) })),
    nulls: fields.filter(({ writesNull }) => writesNull).map(({ name }) => name),
  }
}

/** With those of embedded structs among its own. */
function flatFields(message: Message): readonly Field[] {
  return message.fields.flatMap((field) => (field.shape === Shape.inline ? flatFields(messageOf(field)) : [field]))
}

function isOmittedZero({ shape, keepsZero, type }: Field): boolean {
  return shape === Shape.single && !keepsZero && type !== Type.message
}

function isAlways(field: Field): boolean {
  if (field.shape !== Shape.single) return field.always
  return field.always && !field.writesNull
}

function emptyOf(field: Field): unknown {
  if (field.shape === Shape.list) return []
  return field.shape === Shape.map ? {} : zeroOf(field)
}
