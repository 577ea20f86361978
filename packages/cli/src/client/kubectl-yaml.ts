import { exactNumber } from "@pilothouse/seams"
import { type Document, type DocumentOptions, type ParseOptions, type SchemaOptions, stringify, type Tags } from "yaml"

/** Go has it beside 0644. */
const octal = { tag: "tag:yaml.org,2002:int", default: true, test: /^0o[0-7]+$/, resolve: Number } as const

/** As kubectl reads it, which is YAML 1.1 for the most part: 0400 is the mode of a file, and "yes" is true. Times are texts, and so is 1:30. */
export const kubectlYaml: ParseOptions & DocumentOptions & SchemaOptions = {
  version: "1.1",
  intAsBigInt: true,
  customTags: (tags) => [...tags.filter((tag) => !isTime(tag)), octal],
}

function isTime(tag: Tags[number]): boolean {
  return typeof tag !== "string" && (("format" in tag && tag.format === "TIME") || tag.tag.endsWith(":timestamp"))
}

/** What a document says that was read so, integers as they are everywhere else. */
export function valueOfYaml(document: Document.Parsed): unknown {
  return document.toJS({ reviver: (_key, value: unknown) => (typeof value === "bigint" ? exactNumber(value) : value) })
}

/** As kubectl prints it: what YAML 1.1 would take for something else than a text has quotes, and keys are in their order. */
export function yamlText(value: unknown): string {
  return stringify(value, { compat: "yaml-1.1", sortMapEntries: true, aliasDuplicateObjects: false })
}
