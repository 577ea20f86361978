import type * as wire from "../../clients/neutron/types.ts"
import { neutronProblem } from "../rest/problem.ts"
import { checkQuota } from "./quotas.ts"
import type { NeutronState, SecurityGroupRow, SecurityGroupRuleRow } from "./state.ts"

/** Every project has one, made when it is first needed. */
export function defaultGroup(state: NeutronState, project: string): SecurityGroupRow {
  for (const group of state.securityGroups.values()) if (group.project_id === project && group.name === "default") return group
  const group = makeGroup(state, { name: "default", description: "Default security group" }, project)
  for (const ethertype of ["IPv4", "IPv6"] as const) {
    addRule(state, { security_group_id: group.id, direction: "ingress", ethertype, remote_group_id: group.id }, project)
  }
  return group
}

export function createGroup(state: NeutronState, requested: wire.NewSecurityGroup, project: string): wire.SecurityGroup {
  const owner = requested.project_id ?? project
  defaultGroup(state, owner)
  checkQuota(state, "security_group", owner)
  return withRules(state, makeGroup(state, requested, owner))
}

function makeGroup(state: NeutronState, requested: wire.NewSecurityGroup, owner: string): SecurityGroupRow {
  const group = state.securityGroups.put({ ...state.fresh(owner), ...requested, project_id: owner, revision_number: 1 })
  for (const ethertype of ["IPv4", "IPv6"] as const) addRule(state, { security_group_id: group.id, direction: "egress", ethertype }, owner)
  return group
}

export function withRules(state: NeutronState, group: SecurityGroupRow): wire.SecurityGroup {
  return { ...group, security_group_rules: [...state.rules.values()].filter((rule) => rule.security_group_id === group.id) }
}

export function deleteGroup(state: NeutronState, id: string): void {
  state.securityGroups.get(id)
  for (const port of state.ports.values()) {
    if (port.security_groups.includes(id)) throw neutronProblem(409, "SecurityGroupInUse", `Security Group ${id} in use.`)
  }
  for (const rule of state.rules.values()) if (rule.security_group_id === id) state.rules.delete(rule.id)
  state.securityGroups.delete(id)
}

export function createRule(state: NeutronState, requested: wire.NewSecurityGroupRule, project: string): wire.SecurityGroupRule {
  const owner = requested.project_id ?? project
  state.securityGroups.get(requested.security_group_id)
  checkQuota(state, "security_group_rule", owner)
  return addRule(state, requested, owner)
}

function addRule(state: NeutronState, requested: wire.NewSecurityGroupRule, owner: string): SecurityGroupRuleRow {
  const rule: SecurityGroupRuleRow = {
    ...state.fresh(owner),
    ethertype: "IPv4",
    protocol: null,
    port_range_min: null,
    port_range_max: null,
    remote_ip_prefix: null,
    remote_group_id: null,
    ...requested,
    project_id: owner,
  }
  const own = meaning(rule)
  const isDuplicate = (other: SecurityGroupRuleRow) => other.security_group_id === rule.security_group_id && meaning(other) === own
  const duplicate = [...state.rules.values()].find(isDuplicate)
  if (duplicate !== undefined) {
    throw neutronProblem(409, "SecurityGroupRuleExists", `Security group rule already exists. Rule id is ${duplicate.id}.`)
  }
  return state.rules.put(rule)
}

function meaning(rule: wire.SecurityGroupRule): string {
  const { security_group_id, direction, ethertype, protocol, port_range_min, port_range_max, remote_ip_prefix, remote_group_id } = rule
  return JSON.stringify([
    security_group_id,
    direction,
    ethertype,
    protocol,
    port_range_min,
    port_range_max,
    remote_ip_prefix,
    remote_group_id,
  ])
}
