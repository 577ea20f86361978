import { type GeneratedFile, notice } from "../generated-file.ts"
import { describeAll } from "./describe.ts"
import { readProtos } from "./read-protos.ts"

interface Scope {
  nested?: Record<string, Scope>
}

/** The wire format of the messages that the xDS server sends and reads, as one descriptor for protobufjs. */
export function generateXds(): GeneratedFile {
  const root: Scope = {}
  for (const [name, described] of describeAll(readProtos())) {
    let scope = root
    for (const part of name.split(".")) scope = (scope.nested ??= {})[part] ??= {}
    Object.assign(scope, described)
  }
  return {
    path: "packages/discovery/src/generated/xds-descriptor.ts",
    content: `${notice("xds")}export const xdsDescriptor = {\n${lines(root.nested ?? {}, "  ")}}\n`,
  }
}

/** One line for each message or enum, so that a change of the wire format reads as one. */
function lines(nested: Record<string, Scope>, indent: string): string {
  return Object.entries(nested)
    .map(([name, { nested: inner, ...own }]) => {
      const text = Object.keys(own).length === 0 ? "" : JSON.stringify(own).slice(1, -1)
      if (inner === undefined) return `${indent}${name}: {${text}},\n`
      return `${indent}${name}: {${text}${text && ","}nested: {\n${lines(inner, `${indent}  `)}${indent}}},\n`
    })
    .join("")
}
