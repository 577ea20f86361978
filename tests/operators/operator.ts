import type { KubeObject } from "@pilothouse/api"
import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"

/** An operator written by a third party, and the story in which it makes its first custom resource healthy. */
export interface Operator {
  readonly name: string
  /** The component that is its program: its name in tools/components, and that of the program in it. */
  readonly component: string
  /** The Go module that its program is compiled from, which has its definitions too. */
  readonly module: string
  /** Folders or files of definitions in the module. */
  readonly definitions: readonly string[]
  /** What an installation changes in the definitions, where they are templates. */
  readonly installed?: (definition: CustomResourceDefinition) => CustomResourceDefinition
  /** Flags of `pilothouse up` that it needs. */
  readonly up?: readonly string[]
  /** What it does without: webhooks, for instance. */
  readonly without?: string
  story(context: StoryContext): Promise<void>
}

/** What a story does to the cluster, and how it looks at what the operator has made of it. */
export interface StoryContext {
  /** A folder for files of the operator, which is removed afterwards. */
  readonly directory: string
  /** The folder of its module, with its manifests. */
  readonly folder: string
  readonly kubeconfig: string
  /** Starts the operator, once. */
  start(options: { readonly args: readonly string[]; readonly environment?: Readonly<Record<string, string>> }): void
  create(object: KubeObject): Promise<KubeObject>
  /** Returns the object of a kind by `namespace/name` or `name`; undefined while it is not there. */
  find(apiVersion: string, kind: string, key: string): Promise<LooseObject | undefined>
  list(apiVersion: string, kind: string, namespace?: string): Promise<readonly LooseObject[]>
  /** Writes the replicas of its scale subresource. */
  scale(apiVersion: string, kind: string, key: string, replicas: number): Promise<void>
  /** One case of the suite: it passes when `isSo` does within two minutes. */
  expect(what: string, isSo: () => Promise<boolean>): Promise<void>
}

/** An object of any kind, as far as stories read it. */
export interface LooseObject extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>
  readonly data?: Readonly<Record<string, string>>
  readonly status?: Readonly<Record<string, unknown>> & { readonly conditions?: readonly Condition[] }
}

interface Condition {
  readonly type: string
  readonly status: string
}

export function hasCondition(object: LooseObject | undefined, type: string, status = "True"): boolean {
  return object?.status?.conditions?.some((condition) => condition.type === type && condition.status === status) ?? false
}
