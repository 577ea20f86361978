import { type KubeObject, statusErrorIn } from "@pilothouse/api"
import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import { customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import type { Client } from "@pilothouse/runtime"
import { definitionIn, isDefinition, type Manifest, readManifests, untilEstablished } from "@pilothouse/runtime/manifests"
import { type Clock, messageOf, PilothouseError } from "@pilothouse/seams"
import { systemFiles } from "@pilothouse/seams/system"
import type { ClusterOptions } from "./cluster-options.ts"

type Definitions = NonNullable<ClusterOptions["crds"]>

/** Creates the definitions of `cluster({ crds })` and waits until every one is established. Errors name the file. */
export async function installDefinitions(client: Client, clock: Clock, crds: Definitions): Promise<void> {
  const manifests = crds.flatMap(manifestsOf)
  for (const { object, from } of manifests) {
    await client.create(customResourceDefinitions, object as CustomResourceDefinition).catch((error: unknown) => {
      if (statusErrorIn(error) === undefined) throw error
      throw new PilothouseError(
        "INVALID",
        `expected a CustomResourceDefinition that the server takes in ${from}, found: ${messageOf(error)}`,
        {
          cause: error,
        },
      )
    })
  }
  for (const { object } of manifests) await untilEstablished(client, object.metadata.name ?? "", { clock })
}

/** In a directory other documents, such as a kustomization.yaml, are skipped. */
function manifestsOf(given: Definitions[number], index: number): readonly Manifest[] {
  if (typeof given !== "string") {
    const from = `crds[${index}]`
    return [{ object: checked("definition" in given ? definitionIn(given) : given, from), from }]
  }
  const manifests = readManifests(systemFiles, given, { kind: customResourceDefinitions.kind })
  if (manifests.length === 0) throw notDefinition(given, "other documents only")
  for (const { object, from } of manifests) checked(object, from)
  return manifests
}

function checked(object: KubeObject, from: string): KubeObject {
  if (isDefinition(object)) return object
  const { apiVersion, kind } = (object ?? {}) as Partial<KubeObject>
  throw notDefinition(from, `${apiVersion} ${kind}`)
}

function notDefinition(from: string, found: string): PilothouseError {
  return new PilothouseError("INVALID", `expected a CustomResourceDefinition of apiextensions.k8s.io/v1 in ${from}, found ${found}`)
}
