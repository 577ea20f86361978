import { type Descriptor, hasCause, isConflict, isNotFound, type KubeObject, type ObjectMeta } from "@pilothouse/api"
import type { ApplyConfiguration, Client } from "@pilothouse/runtime"
import { messageOf, PilothouseError } from "@pilothouse/seams"

export interface ServerSideApplyOptions {
  readonly fieldManager: string
  /** Takes over fields of other managers. */
  readonly force: boolean
}

type ManagedFields = NonNullable<ObjectMeta["managedFields"]>

/** The managers of client-side applies, of this program and of kubectl. */
const clientSideManagers: ReadonlySet<string> = new Set(["pilothouse-client-side-apply", "kubectl-client-side-apply", "pilothouse-cli"])
const tries = 5

/** Applies the object on the server. What a client-side apply has set before belongs to the manager afterwards. */
export async function serverSideApply(
  client: Client,
  of: Descriptor,
  object: KubeObject,
  { fieldManager, force }: ServerSideApplyOptions,
): Promise<"serverside-applied"> {
  await takeOverClientSide(client, of, object, fieldManager)
  try {
    await client.apply(of, object as ApplyConfiguration, { fieldManager, force, fieldValidation: "Strict" })
    return "serverside-applied"
  } catch (error) {
    if (!hasCause(error, "FieldManagerConflict")) throw error
    // No cause: its words would stand behind the advice a second time.
    throw new PilothouseError("INVALID", `${messageOf(error)}\n${adviceOnConflicts}`)
  }
}

const adviceOnConflicts = [
  "These fields have other managers. Add --force-conflicts to take them over,",
  "remove them from the manifest to leave them to their managers,",
  "or give them the values that they have to share them.",
].join("\n")

/** As kubectl: without it, a field that is taken out of the manifest would stay for ever, because the client-side apply still owns it. */
async function takeOverClientSide(client: Client, of: Descriptor, { metadata }: KubeObject, manager: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const found = await client.get(of, { metadata })
      const managedFields = upgradedManagedFields(found.metadata.managedFields ?? [], manager)
      if (managedFields === undefined) return
      const patch = [
        { op: "replace", path: "/metadata/managedFields", value: managedFields },
        // A change in between is a conflict: it may have changed the owners.
        { op: "replace", path: "/metadata/resourceVersion", value: found.metadata.resourceVersion },
      ]
      await client.patch(of, { metadata }, patch, { type: "json", fieldManager: manager })
      return
    } catch (error) {
      if (isNotFound(error)) return
      if (!isConflict(error) || attempt === tries) throw error
    }
  }
}

/** Returns the entries with those of client-side applies united under the manager, or undefined where there are none. */
export function upgradedManagedFields(entries: ManagedFields, manager: string): ManagedFields | undefined {
  const isClientSide = ({ manager: name = "", operation, subresource = "" }: ManagedFields[number]) =>
    operation === "Update" && subresource === "" && clientSideManagers.has(name)
  const old = entries.filter(isClientSide)
  const [first] = old
  if (first === undefined) return undefined
  const own = entries.find((entry) => entry.manager === manager && entry.operation === "Apply" && !entry.subresource)
  const fieldsV1 = [...old, ...(own ? [own] : [])].map((entry) => entry.fieldsV1).reduce<object>(unitedFields, {})
  const others = entries.filter((entry) => entry !== own && !old.includes(entry))
  return [...others, { ...first, manager, operation: "Apply", fieldsV1 }]
}

/** The union of two sets of fields: {"f:data": {"f:a": {}}} and {"f:data": {"f:b": {}}} is {"f:data": {"f:a": {}, "f:b": {}}}. */
function unitedFields(one: unknown = {}, other: unknown = {}): object {
  const united = new Map<string, unknown>(Object.entries(one as object))
  for (const [name, fields] of Object.entries(other as object)) united.set(name, unitedFields(united.get(name), fields))
  return Object.fromEntries(united)
}
