import { type Descriptor, isAlreadyExists, type KubeObject, statusErrorIn } from "@pilothouse/api"
import { type CustomResourceDefinition, customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { descriptorFor } from "@pilothouse/api/descriptors"
import type { Client } from "@pilothouse/runtime"
import { definitionIn, isDefinition, type Manifest, readManifests, untilEstablished } from "@pilothouse/runtime/manifests"
import { type Clock, messageOf, PilothouseError } from "@pilothouse/seams"
import { systemFiles } from "@pilothouse/seams/system"
import type { ClusterOptions } from "./cluster-options.ts"

/**
 * Creates or patches the objects, in their order but for CustomResourceDefinitions, which come first: their kinds are served before the rest is
 * applied. Returns what is stored, in the order of `objects`.
 */
export async function applyObjects(client: Client, clock: Clock, objects: readonly KubeObject[]): Promise<readonly KubeObject[]> {
  const applied = new Map<KubeObject, KubeObject>()
  for (const definition of objects.filter(isDefinition)) {
    await applyObject(client, definition)
    applied.set(definition, await untilEstablished(client, definition.metadata.name ?? "", { clock }))
  }
  for (const object of objects) if (!isDefinition(object)) applied.set(object, await applyObject(client, object))
  return objects.map((object) => applied.get(object)!)
}

/** Creates the object, or patches the one that is there. */
async function applyObject(client: Client, object: KubeObject): Promise<KubeObject> {
  const of = await resourceOf(client, object)
  const namespaced = withDefaultNamespace(of, object)
  try {
    return await client.create(of, namespaced)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return client.patch(of, namespaced, namespaced)
  }
}

/** Returns the resource of a kind of Kubernetes, or by discovery that of a custom one. */
async function resourceOf(client: Client, { apiVersion, kind }: KubeObject): Promise<Descriptor> {
  const [version = "", group = ""] = apiVersion.split("/").reverse()
  return descriptorFor({ group, version, kind }) ?? client.forKind(apiVersion, kind)
}

function withDefaultNamespace({ namespaced }: Descriptor, object: KubeObject): KubeObject {
  if (!namespaced || object.metadata.namespace !== undefined) return object
  return { ...object, metadata: { ...object.metadata, namespace: "default" } }
}

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
