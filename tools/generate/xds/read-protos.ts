import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { protoFiles, protoRoots } from "./picks.ts"

/** What we use of protobufjs' reflection. */
export interface ProtoField {
  readonly fullName: string
  readonly type: string
  readonly id: number
  readonly repeated: boolean
  readonly map: boolean
  readonly keyType?: string
  readonly resolvedType: { readonly fullName: string } | null
  readonly partOf: { readonly name: string } | null
}

export interface ProtoType {
  readonly fullName: string
  readonly fields: Readonly<Record<string, ProtoField>>
}

export interface ProtoRoot {
  resolvePath: (origin: string, target: string) => string
  loadSync(files: readonly string[]): void
  resolveAll(): void
  lookupType(name: string): ProtoType
  lookupEnum(name: string): { readonly values: Readonly<Record<string, number>> }
}

// Resolved as the package that depends on it does: the workspace itself has no need of it.
const fromDiscovery = createRequire(new URL("../../../packages/discovery/package.json", import.meta.url))
const protobuf = fromDiscovery("protobufjs") as { readonly Root: new () => ProtoRoot; readonly common: { get(file: string): unknown } }

/** The definitions that @grpc/grpc-js-xds ships, parsed. */
export function readProtos(): ProtoRoot {
  const folder = join(dirname(fromDiscovery.resolve("@grpc/grpc-js-xds/package.json")), "deps")
  // descriptor.proto, which annotations extend, comes with the parser.
  const roots = [...protoRoots.map((name) => join(folder, name)), dirname(fromDiscovery.resolve("protobufjs/package.json"))]
  const root = new protobuf.Root()
  root.resolvePath = (_origin, target) => {
    if (protobuf.common.get(target) !== null) return target
    const found = roots.map((path) => join(path, target)).find((path) => existsSync(path))
    if (found === undefined) throw new Error(`expected ${target} under ${folder}, found none; run npm ci`)
    return found
  }
  root.loadSync([...protoFiles])
  root.resolveAll()
  return root
}
