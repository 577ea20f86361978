import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isNotFound } from "@pilothouse/api"
import { type CustomResourceDefinition, customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import type { Client } from "@pilothouse/runtime"
import { untilEstablished } from "@pilothouse/runtime/manifests"
import { messageOf } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { describe } from "../../tools/components/index.ts"
import { Child } from "../real/child.ts"
import { definitionsIn, moduleFolder } from "../real/crd-zoo/documents.ts"
import type { Tally } from "../real/tally.ts"
import { eventually, startUp } from "../real/up-cluster.ts"
import type { LooseObject, Operator, StoryContext } from "./operator.ts"

/** Milliseconds for each step of a story. Most take one or two seconds. */
const patience = 120_000

/** Runs the story of an operator on a cluster of its own. */
export async function runOperator(tally: Tally, operator: Operator, program: string): Promise<void> {
  const [component] = describe(operator.component).slice(-1)
  const project = { ...operator, version: `v${component!.version}` }
  const folder = await moduleFolder(project)
  const definitions = definitionsIn(folder, project).map(operator.installed ?? ((definition) => definition))
  await tally.group(`${operator.name} ${component!.version}`, async (group) => {
    if (operator.without !== undefined) group.note(`without ${operator.without}`)
    await using cluster = await startUp(["--ephemeral", ...(operator.up ?? [])], "operators")
    await establish(cluster.client, definitions)
    using running = new Running(operator, program)
    const { client } = cluster
    await operator.story({
      ...objectsOf(client),
      directory: running.directory,
      folder,
      kubeconfig: cluster.kubeconfig,
      start: (options) => running.start(options),
      async expect(what, isSo) {
        group.case(
          what,
          await eventually(what, () => running.holds(isSo), patience).then(
            () => undefined,
            (error) => running.explain(error),
          ),
        )
      },
    })
  })
}

async function establish(client: Client, definitions: readonly CustomResourceDefinition[]): Promise<void> {
  for (const definition of definitions) {
    await client.create(customResourceDefinitions, definition)
    await untilEstablished(client, definition.metadata.name ?? "", { clock: systemClock })
  }
}

/** The process of an operator, and its folder. */
class Running implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), "pilothouse-operator-"))
  readonly #name: string
  readonly #program: string
  readonly #kill = () => this.#child?.kill()
  #child: Child | undefined

  constructor({ name }: Operator, program: string) {
    this.#name = name
    this.#program = program
    process.once("exit", this.#kill)
  }

  start(options: Parameters<StoryContext["start"]>[0]): void {
    this.#child = new Child({ name: this.#name, program: this.#program, directory: this.directory, ...options })
  }

  /** Waiting for an operator that has ended would take its whole time. */
  async holds(isSo: () => Promise<boolean>): Promise<boolean> {
    if (this.#child?.running === false) throw new Error(`${this.#name} has ended`)
    return await isSo()
  }

  explain(error: unknown): string {
    return `${messageOf(error)}\n${this.#child?.output ?? ""}`
  }

  [Symbol.dispose](): void {
    process.removeListener("exit", this.#kill)
    this.#child?.kill()
    rmSync(this.directory, { recursive: true, force: true })
  }
}

function objectsOf(client: Client): Pick<StoryContext, "create" | "find" | "list" | "scale"> {
  return {
    create: async (object) => await client.create(await client.forKind(object.apiVersion ?? "", object.kind ?? ""), object),
    async find(apiVersion, kind, key) {
      const found = client.get(await client.forKind(apiVersion, kind), key)
      return await found.then(
        (object) => object as LooseObject,
        (error) => (isNotFound(error) ? undefined : Promise.reject(error)),
      )
    },
    async list(apiVersion, kind, namespace) {
      const { items } = await client.list(await client.forKind(apiVersion, kind), namespace === undefined ? {} : { namespace })
      return items as readonly LooseObject[]
    },
    async scale(apiVersion, kind, key, replicas) {
      await client.setScale(await client.forKind(apiVersion, kind), key, replicas)
    },
  }
}
