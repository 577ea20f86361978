import { readFileSync } from "node:fs"
import type { KubeObject } from "@pilothouse/api"
import type { Client } from "@pilothouse/runtime"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import { systemFiles } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { applyObject } from "../client/apply-object.ts"
import { addConnectionOptions, type ConnectionOptions, openConnection } from "../client/connection.ts"
import { shownName } from "../client/find-resource.ts"
import { type Manifest, readManifests } from "../client/read-manifests.ts"
import { kustomizeOption } from "../kubectl-words.ts"

interface ApplyOptions extends ConnectionOptions {
  readonly filename: readonly string[]
}

export function addApplyCommand(program: Command): void {
  addConnectionOptions(program.command("apply"))
    .description("create or change the objects of files: apply -f web.yaml, apply -f manifests/, apply -f -")
    .requiredOption("-f, --filename <path...>", "files, directories, or - for standard input")
    .addOption(kustomizeOption("apply"))
    .action(async (options: ApplyOptions) => {
      await using connection = await openConnection(options)
      const manifests = options.filename.flatMap((path) => readManifests(systemFiles, path, readStandardInput))
      await applyManifests(connection.client, manifests, { namespace: connection.namespace }, (line) => process.stdout.write(`${line}\n`))
    })
}

export function readStandardInput(): string {
  return readFileSync(0, "utf8")
}

/** In the order they stand; one that is refused does not keep the others back, and all refusals are told together. */
export async function applyManifests(
  client: Client,
  manifests: readonly Manifest[],
  { namespace }: { readonly namespace: string },
  say: (line: string) => void,
): Promise<void> {
  const refused: string[] = []
  for (const { object, from } of manifests) {
    try {
      const of = await client.forKind(object.apiVersion, object.kind)
      const placed = of.namespaced ? inNamespace(object, namespace) : object
      say(`${shownName(of, object.metadata.name ?? "")} ${await applyObject(client, of, placed)}`)
    } catch (error) {
      // Nobody refused anything: no other object would get further.
      if (error instanceof PilothouseError && error.code === "CONNECTION_LOST") throw error
      refused.push(`${from}: ${messageOf(error)}`)
    }
  }
  if (refused.length > 0)
    throw new PilothouseError("INVALID", `${refused.length} of ${manifests.length} objects were refused:\n${refused.join("\n")}`)
}

function inNamespace(object: KubeObject, namespace: string): KubeObject {
  return object.metadata.namespace === undefined ? { ...object, metadata: { ...object.metadata, namespace } } : object
}
