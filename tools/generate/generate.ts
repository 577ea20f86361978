import { generateDescriptors } from "./descriptors.ts"
import { readDiscovery } from "./discovery.ts"
import type { GeneratedFile } from "./generated-file.ts"
import type { GoModules } from "./go-modules.ts"
import { generateKindMap } from "./kind-map.ts"
import { readDefinitions } from "./openapi.ts"
import { packagesOf } from "./packages.ts"
import { generateProtobuf } from "./protobuf.ts"
import { generateSchemas } from "./schemas.ts"
import { generateTypes } from "./types.ts"

/** Everything under packages/api/src/generated. */
export function generate(modules: GoModules): GeneratedFile[] {
  const groupVersions = readDiscovery(modules)
  const documents = ["api", "apis", ...groupVersions.flatMap((one) => one.document ?? [])]
  const packages = packagesOf(readDefinitions(modules, documents), groupVersions)
  return [
    ...generateTypes(packages),
    ...generateKindMap(packages),
    ...generateDescriptors(packages),
    ...generateSchemas(packages),
    ...generateProtobuf(modules),
  ]
}
