import type { CustomResourceDefinition, JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { schemasIn, someSchema } from "../../schema/structural/schema-walk.ts"

/** The formats of strings that are validated, without dashes. */
const stringFormats: ReadonlySet<string> = new Set(
  "bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor byte password date duration datetime k8sshortname k8slongname".split(
    " ",
  ),
)

const numberFormats: Readonly<Record<string, readonly string[]>> = { integer: ["int32", "int64"], number: ["float", "double"] }

/** Returns a warning for every format that is stored and not validated; those that the definition had before are known to its author. */
export function formatWarnings(definition: CustomResourceDefinition, old?: CustomResourceDefinition): readonly string[] {
  const before = old === undefined ? new Set<string>() : unknownFormats(old)
  return [...unknownFormats(definition)]
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`)
}

function unknownFormats({ spec }: CustomResourceDefinition): ReadonlySet<string> {
  const found = new Set<string>()
  for (const schema of schemasIn(spec)) {
    someSchema(schema, (below) => {
      if (!hasKnownFormat(below)) found.add(below.format ?? "")
      return false
    })
  }
  return found
}

/** Whether the format of a schema, if it has one, is one that values of its type are validated against. */
function hasKnownFormat({ format = "", type = "" }: JSONSchemaProps): boolean {
  if (format === "") return true
  if (type === "" || type === "string") return stringFormats.has(format.replaceAll("-", ""))
  return numberFormats[type]?.includes(format) ?? false
}
