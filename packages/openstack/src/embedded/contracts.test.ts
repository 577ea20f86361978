import { keystoneContract } from "../clients/keystone/keystone.contract.ts"
import { neutronContract } from "../clients/neutron/neutron.contract.ts"
import { octaviaContract } from "../clients/octavia/octavia.contract.ts"
import { testCloud } from "./testing/cloud.ts"

keystoneContract("embedded", async () => testCloud())
neutronContract("embedded", async () => testCloud())
octaviaContract("embedded", async () => testCloud())
