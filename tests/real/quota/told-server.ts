import type { ApiAnswer, ApiClient } from "../api-client.ts"
import { core, quotas, type Step } from "./story.ts"

/** One of the two servers, and the uids it has given. */
export class Told {
  readonly #client: ApiClient
  readonly #uids = new Map<string, string>()

  constructor(client: ApiClient) {
    this.#client = client
  }

  /** As a quota controller would leave them. */
  async makeQuotas(): Promise<void> {
    for (const [name, hard] of Object.entries(quotas)) {
      await this.#client.object({ verb: "POST", path: `${core}/resourcequotas`, body: { metadata: { name }, spec: { hard } } })
      await this.#setStatus(name, { hard, used: Object.fromEntries(Object.keys(hard).map((one) => [one, "0"])) })
    }
  }

  /** The answer in words, and what is used of every quota afterwards. */
  async tell({ name: _name, body, ...request }: Step): Promise<string> {
    const filled = JSON.stringify(body ?? null).replaceAll(/<uid of (\w+)>/g, (_all, pod: string) => this.#uids.get(pod) ?? "none")
    const answer = await this.#client.send({ ...request, ...(body !== undefined && { body: JSON.parse(filled) }) })
    const { metadata, message } = answer.value as { metadata?: { name?: string; uid?: string }; message?: string }
    if (metadata?.name !== undefined && metadata.uid !== undefined) this.#uids.set(metadata.name, metadata.uid)
    const used = await Promise.all(Object.keys(quotas).map((quota) => this.used(quota)))
    return [wordsOf(answer, message), ...used].join("\n  ")
  }

  async used(quota: string): Promise<string> {
    const { status } = await this.#client.object<{ status: { used?: Record<string, string> } }>({
      verb: "GET",
      path: `${core}/resourcequotas/${quota}`,
    })
    return Object.entries(status.used ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, amount]) => `${name}=${amount}`)
      .join(" ")
  }

  /** Another limit makes a controller look, whatever it has seen. */
  async forget(): Promise<void> {
    for (const [name, hard] of Object.entries(quotas)) {
      await this.#setStatus(name, { hard, used: Object.fromEntries(Object.keys(hard).map((one) => [one, "77"])) })
      const spec = { hard: { ...hard, configmaps: "99" } }
      const contentType = "application/merge-patch+json"
      await this.#client.object({ verb: "PATCH", path: `${core}/resourcequotas/${name}`, contentType, body: { spec } })
    }
  }

  async isCounted(): Promise<boolean> {
    const all = await Promise.all(Object.keys(quotas).map((name) => this.used(name)))
    return all.every((used) => used.includes("configmaps=") && !used.includes("=77"))
  }

  async #setStatus(name: string, status: object): Promise<void> {
    const path = `${core}/resourcequotas/${name}/status`
    await this.#client.object({ verb: "PATCH", path, contentType: "application/merge-patch+json", body: { status } })
  }
}

function wordsOf({ status }: ApiAnswer, message: string | undefined): string {
  return status < 300 ? String(status) : `${status} ${message}`
}
