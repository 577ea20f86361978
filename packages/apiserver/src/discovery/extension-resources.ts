import type { Descriptor } from "@pilothouse/api"
import { allDescriptors } from "@pilothouse/api/descriptors"
import type { Extension } from "../server/server.ts"

/** The kinds of groups that others answer, as far as they or we know them: kubectl asks for no group that discovery does not name. */
export function extensionResources(extensions: readonly Extension[]): readonly Descriptor[] {
  // Where two answer for one version, the first is asked.
  const first = extensions.filter(({ prefix }, at) => extensions.findIndex((other) => other.prefix === prefix) === at)
  return first.flatMap(({ prefix, resources }) => resources ?? knownUnder(prefix))
}

function knownUnder(prefix: string): readonly Descriptor[] {
  return allDescriptors.filter(({ group, version }) => group !== "" && prefix === `/apis/${group}/${version}`)
}
