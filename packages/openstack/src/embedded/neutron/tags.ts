import { neutronProblem } from "../rest/problem.ts"
import type { Routes } from "../rest/routes.ts"
import type { NeutronRow, NeutronState, Table } from "./state.ts"

const tables = {
  networks: "networks",
  subnets: "subnets",
  ports: "ports",
  trunks: "trunks",
  "security-groups": "securityGroups",
  floatingips: "floatingIps",
  routers: "routers",
} as const

export function tagRoutes(state: NeutronState): Routes {
  const table = (kind: string) => {
    const name = tables[kind as keyof typeof tables]
    if (name === undefined) throw neutronProblem(404, "HTTPNotFound", "The resource could not be found.")
    return state[name] as unknown as Table<NeutronRow>
  }
  return {
    "GET /v2.0/*/*/tags": ({ parts: [kind = "", id = ""] }) => ({ status: 200, value: { tags: table(kind).get(id).tags } }),
    "PUT /v2.0/*/*/tags": ({ parts: [kind = "", id = ""], body }) => {
      const tags = [...new Set((body as { tags: readonly string[] }).tags)].sort()
      return { status: 200, value: { tags: table(kind).change(id, { tags }).tags } }
    },
    "PUT /v2.0/*/*/tags/*": ({ parts: [kind = "", id = "", tag = ""] }) => {
      const { tags } = table(kind).get(id)
      if (!tags.includes(tag)) table(kind).change(id, { tags: [...tags, tag].sort() })
      return { status: 201 }
    },
    "DELETE /v2.0/*/*/tags/*": ({ parts: [kind = "", id = "", tag = ""] }) => {
      const { tags } = table(kind).get(id)
      if (!tags.includes(tag)) throw neutronProblem(404, "TagNotFound", `Tag ${tag} could not be found.`)
      table(kind).change(id, { tags: tags.filter((one) => one !== tag) })
      return { status: 204 }
    },
  }
}
