import type { Descriptor, KubeObject } from "@pilothouse/api"
import type { Client } from "@pilothouse/runtime"
import { isDefinition, type Manifest, parseManifests, readManifests, untilEstablished } from "@pilothouse/runtime/manifests"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import { systemClock, systemFiles } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { applyObject } from "../client/apply-object.ts"
import { addConnectionOptions, type ConnectionOptions, openConnection } from "../client/connection.ts"
import { shownName } from "../client/find-resource.ts"
import { namespaceIn, type Place } from "../client/place.ts"
import { serverSideApply } from "../client/server-side-apply.ts"
import { kustomizeOption } from "../flags/kubectl-hints.ts"

interface ApplyOptions extends ConnectionOptions {
  readonly filename: readonly string[]
  readonly serverSide?: boolean
  readonly forceConflicts?: boolean
  readonly fieldManager?: string
}

export function addApplyCommand(program: Command): void {
  addConnectionOptions(program.command("apply"))
    .description("create or change the objects of files")
    .requiredOption("-f, --filename <path...>", "files, directories, or - for standard input")
    .option("--server-side", "let the server merge: fields that other managers own are conflicts")
    .option("--force-conflicts", "with --server-side: take over fields that other managers own")
    .option("--field-manager <name>", "the owner of the fields (pilothouse with --server-side, else pilothouse-client-side-apply)")
    .addOption(kustomizeOption("apply"))
    .action(async (options: ApplyOptions) => {
      const apply = applyWith(options)
      const manifests = await manifestsOf(options.filename)
      if (manifests.length === 0)
        throw new PilothouseError("USAGE", `expected objects to apply in ${options.filename.join(", ")}, found none`)
      await using connection = await openConnection(options)
      const place = { namespace: connection.namespace, isAsked: options.namespace !== undefined }
      await applyManifests(connection.client, manifests, place, (line) => process.stdout.write(`${line}\n`), apply)
    })
}

type ApplyOne = (client: Client, of: Descriptor, object: KubeObject) => Promise<string>

function applyWith({ serverSide = false, forceConflicts: force = false, fieldManager }: ApplyOptions): ApplyOne {
  if (force && !serverSide)
    throw new PilothouseError("USAGE", "expected --server-side with --force-conflicts, found none; only the server knows of conflicts")
  if (fieldManager === "")
    throw new PilothouseError("USAGE", "expected a name after --field-manager, found an empty one; leave the flag out for the default")
  if (serverSide) return (client, of, object) => serverSideApply(client, of, object, { fieldManager: fieldManager ?? "pilothouse", force })
  return (client, of, object) => applyObject(client, of, object, fieldManager)
}

/** Reads the manifests of files and directories, and of standard input where one of them is "-". */
export async function manifestsOf(paths: readonly string[]): Promise<readonly Manifest[]> {
  const input = paths.includes("-") ? await standardInput() : ""
  return paths.flatMap((path) => manifestsAt(path, input))
}

function manifestsAt(path: string, input: string): readonly Manifest[] {
  if (/^https?:\/\//.test(path))
    throw new PilothouseError(
      "USAGE",
      `expected a file, a directory or -, found an address; pipe it: curl -sSL ${path} | pilothouse apply -f - (or delete)`,
    )
  try {
    return path === "-" ? parseManifests(input, "standard input") : readManifests(systemFiles, path)
  } catch (error) {
    // What is in a file is what the user gave.
    throw error instanceof PilothouseError && error.code === "INVALID"
      ? new PilothouseError("USAGE", error.message, { cause: error })
      : error
  }
}

/** It may come late, and under npx a read at once does not wait for it: that fails. */
async function standardInput(): Promise<string> {
  let read = ""
  for await (const part of process.stdin.setEncoding("utf8")) read += String(part)
  return read
}

/**
 * CustomResourceDefinitions first, until their kinds are served, then the rest in the order they stand. One that is refused does not keep the others
 * back, and all refusals are reported together.
 */
export async function applyManifests(
  client: Client,
  manifests: readonly Manifest[],
  place: Place,
  say: (line: string) => void,
  apply: ApplyOne = applyObject,
): Promise<void> {
  const refused: string[] = []
  const succeeds = async ({ object, from }: Manifest, work: (object: KubeObject) => Promise<unknown>): Promise<boolean> => {
    try {
      await work(object)
      return true
    } catch (error) {
      // No server refused anything: no other object would get further.
      if (error instanceof PilothouseError && error.code === "CONNECTION_LOST") throw error
      refused.push(`${from}: ${messageOf(error)}`)
      return false
    }
  }
  const applyOne = async (object: KubeObject) => say(await applyAndName(client, object, place, apply))
  const established = ({ metadata }: KubeObject) => untilEstablished(client, metadata.name ?? "", { clock: systemClock })
  const definitions = manifests.filter(({ object }) => isDefinition(object))
  const applied: Manifest[] = []
  for (const definition of definitions) if (await succeeds(definition, applyOne)) applied.push(definition)
  for (const definition of applied) await succeeds(definition, established)
  for (const manifest of manifests) if (!definitions.includes(manifest)) await succeeds(manifest, applyOne)
  if (refused.length > 0)
    throw new PilothouseError("INVALID", `${refused.length} of ${manifests.length} objects were refused:\n${refused.join("\n")}`)
}

/** Returns what kubectl prints: "deployment.apps/web created". */
async function applyAndName(client: Client, object: KubeObject, place: Place, apply: ApplyOne): Promise<string> {
  const { name } = object.metadata
  if (name === undefined) throw unnamed()
  const of = await client.forKind(object.apiVersion, object.kind)
  const placed = of.namespaced ? { ...object, metadata: { ...object.metadata, namespace: namespaceIn(place, object) } } : object
  return `${shownName(of, name)} ${await apply(client, of, placed)}`
}

/** As kubectl: what is made under a new name each time is not there to be changed. */
function unnamed(): PilothouseError {
  return new PilothouseError("INVALID", 'expected metadata.name, found generateName alone; give it a name, or use "kubectl create -f"')
}
