import { fork } from "node:child_process"
import { once } from "node:events"
import type { CloudAccess } from "@pilothouse/openstack"
import { MeasuredProcess } from "./measured-process.ts"

export interface Settings {
  readonly kubeconfig: string
  readonly access: CloudAccess
  /** Of kuryr.conf. */
  readonly sections: Readonly<Record<string, Readonly<Record<string, string | number>>>>
}

/** Calls so far, by verb and path. */
export interface Counted {
  readonly api: Record<string, number>
  readonly cloud: Record<string, number>
}

/** Our handlers in a process of their own. */
export class Handlers extends MeasuredProcess {
  /** `program` is what bundleHandlers made. */
  static async start(program: string, settings: Settings): Promise<Handlers> {
    const child = fork(program, [JSON.stringify(settings)], { execArgv: [] })
    await Promise.race([once(child, "message"), once(child, "exit").then(() => Promise.reject(new Error("the handlers ended at once")))])
    return new Handlers(child, "SIGTERM")
  }

  async counts(): Promise<Counted> {
    const answer = once(this.child, "message")
    this.child.send("counts")
    const [counts] = (await answer) as [Counted]
    return counts
  }
}

/** How much more there is in the second, of those whose key matches. */
export function more(before: Record<string, number>, after: Record<string, number>, keys: RegExp): number {
  const sum = (counts: Record<string, number>) =>
    Object.entries(counts)
      .filter(([key]) => keys.test(key))
      .reduce((total, [, count]) => total + count, 0)
  return sum(after) - sum(before)
}
