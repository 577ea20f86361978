import { type Descriptor, isMethodNotAllowed, isNotFound, type KubeObject, resourceNameOf } from "@pilothouse/api"
import { type Namespace, namespaces, pods } from "@pilothouse/api/core/v1"
import type { FailedGroup, Reader } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"

/** The entry of spec.finalizers that this controller removes. */
export const ownFinalizer = "kubernetes"

/** The objects of one resource in the namespace; never empty. */
export interface Collection {
  readonly of: Descriptor
  readonly items: readonly KubeObject[]
}

export interface Content {
  readonly collections: readonly Collection[]
  /** API groups whose discovery failed. */
  readonly failed: readonly FailedGroup[]
  /** Resources that could not be listed, with the reason. */
  readonly unreadable: readonly string[]
  /** Resources that can be deleted but not listed. */
  readonly unlistable: readonly Descriptor[]
}

export interface Observed {
  readonly namespace: Namespace
  /** Undefined when the finalizer of this controller is gone: the namespace was emptied. */
  readonly content?: Content
}

/** Reads everything from the API server: objects that a cache does not show yet would be lost with the namespace. */
export async function observe(key: string, read: Reader): Promise<Observed | undefined> {
  if (!isDeleted(read.get(namespaces, key))) return undefined
  const namespace = await read.live(namespaces, key)
  if (namespace === undefined || !isDeleted(namespace)) return undefined
  if (!namespace.spec?.finalizers?.includes(ownFinalizer)) return { namespace }
  return { namespace, content: await readContent(key, read) }
}

export function isDeleted(namespace: Namespace | undefined): boolean {
  return namespace?.metadata.deletionTimestamp !== undefined
}

/** Lists nothing else while there are, or may be, pods: they may need their Secrets and volumes to shut down cleanly. */
async function readContent(namespace: string, read: Reader): Promise<Content> {
  const { resources, failed } = await read.discovered()
  const deletable = preferred(resources).filter(({ namespaced, verbs }) => namespaced && verbs.includes("delete"))
  const isPods = ({ group, plural }: Descriptor) => group === "" && plural === pods.plural
  const first = await listed(deletable.filter(isPods), namespace, read)
  const rest =
    first.collections.length + first.unreadable.length === 0
      ? await listed(
          deletable.filter((of) => !isPods(of)),
          namespace,
          read,
        )
      : first
  const unreadable = rest === first ? first.unreadable : [...first.unreadable, ...rest.unreadable]
  const unlistable = deletable.filter(({ verbs }) => !verbs.includes("list") && verbs.includes("deletecollection"))
  return { collections: rest.collections, unreadable, failed, unlistable }
}

type Listed = Pick<Content, "collections" | "unreadable">

async function listed(resources: readonly Descriptor[], namespace: string, read: Reader): Promise<Listed> {
  const unreadable: string[] = []
  const readable = resources.filter(({ verbs }) => verbs.includes("list"))
  const collections = await Promise.all(
    readable.map(async (of): Promise<Collection> => {
      const items = await read.liveList(of, namespace).catch((error: unknown) => {
        // A resource that was removed since discovery has no objects; old servers announce some that cannot be listed.
        if (!isNotFound(error) && !isMethodNotAllowed(error)) unreadable.push(`${resourceNameOf(of)}: ${messageOf(error)}`)
        return []
      })
      return { of, items }
    }),
  )
  return { collections: collections.filter(({ items }) => items.length > 0), unreadable: unreadable.sort() }
}

/** Returns one version of each resource, the one that the server prefers: all versions show the same objects. */
function preferred(resources: readonly Descriptor[]): readonly Descriptor[] {
  const first = new Map<string, Descriptor>()
  for (const of of resources) if (!first.has(resourceNameOf(of))) first.set(resourceNameOf(of), of)
  return [...first.values()]
}
