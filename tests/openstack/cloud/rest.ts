/** An operator's calls to the services, before there is a project that a client could be of. */
export class Rest {
  readonly #token: string

  constructor(token: string) {
    this.#token = token
  }

  static async login(keystone: string, user: string, project: string): Promise<{ readonly rest: Rest; readonly project: string }> {
    const domain = { id: "default" }
    const identity = { methods: ["password"], password: { user: { name: user, password: user, domain } } }
    const body = JSON.stringify({ auth: { identity, scope: { project: { name: project, domain } } } })
    const answer = await fetch(`${keystone}/v3/auth/tokens`, { method: "POST", headers: { "content-type": "application/json" }, body })
    if (answer.status !== 201) throw new Error(`login of ${user} answered ${answer.status}: ${await answer.text()}`)
    const { token } = (await answer.json()) as { token: { project: { id: string } } }
    return { rest: new Rest(answer.headers.get("x-subject-token") ?? ""), project: token.project.id }
  }

  async call(method: string, url: string, body?: unknown): Promise<Record<string, never>> {
    const headers = { "content-type": "application/json", "x-auth-token": this.#token }
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${text.slice(0, 500)}`)
    return text === "" ? {} : JSON.parse(text)
  }

  /** Gives the id of what it makes. */
  async make(base: string, plural: string, one: string, body: object): Promise<string> {
    const made = (await this.call("POST", `${base}/${plural}`, { [one]: body })) as Record<string, { id: string }>
    return made[one]!.id
  }

  async idOf(base: string, plural: string, name: string): Promise<string | undefined> {
    const found = (await this.call("GET", `${base}/${plural}?name=${name}`)) as Record<string, { id: string }[]>
    return found[plural]?.[0]?.id
  }
}
