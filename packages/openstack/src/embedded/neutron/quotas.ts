import { neutronProblem } from "../rest/problem.ts"
import type { Routes } from "../rest/routes.ts"
import type { NeutronState } from "./state.ts"

const tables = {
  network: "networks",
  subnet: "subnets",
  port: "ports",
  router: "routers",
  floatingip: "floatingIps",
  security_group: "securityGroups",
  security_group_rule: "rules",
  trunk: "trunks",
} as const

export type QuotaResource = keyof typeof tables

/** Refuses what would be too many. */
export function checkQuota(state: NeutronState, resource: QuotaResource, project: string, more = 1): void {
  const limit = state.quotas.get(project)?.get(resource) ?? -1
  if (limit < 0 || state[tables[resource]].count(project) + more <= limit) return
  throw neutronProblem(409, "OverQuota", `Quota exceeded for resources: ['${resource}'].`)
}

/** Returns the routes of quotas: limits and usage by project; -1 is no limit. */
export function quotaRoutes(state: NeutronState): Routes {
  const projectLimits = (project: string) => {
    const limits = state.quotas.get(project) ?? new Map<string, number>()
    state.quotas.set(project, limits)
    return limits
  }
  return {
    "GET /v2.0/quotas/*/details.json": ({ parts: [project = ""] }) => {
      const limits = projectLimits(project)
      const entries = Object.entries(tables).map(([name, table]) => {
        return [name, { limit: limits.get(name) ?? -1, used: state[table].count(project), reserved: 0 }]
      })
      return { status: 200, value: { quota: Object.fromEntries(entries) } }
    },
    "GET /v2.0/quotas/*": ({ parts: [project = ""] }) => {
      const limits = projectLimits(project)
      return { status: 200, value: { quota: Object.fromEntries(Object.keys(tables).map((name) => [name, limits.get(name) ?? -1])) } }
    },
    "PUT /v2.0/quotas/*": ({ parts: [project = ""], body }) => {
      const limits = projectLimits(project)
      for (const [name, limit] of Object.entries((body as { quota: Record<string, number> }).quota)) limits.set(name, limit)
      return { status: 200, value: { quota: Object.fromEntries(limits) } }
    },
    "DELETE /v2.0/quotas/*": ({ parts: [project = ""] }) => {
      state.quotas.delete(project)
      return { status: 204 }
    },
  }
}
