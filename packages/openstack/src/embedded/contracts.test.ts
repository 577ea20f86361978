import { keystoneContract } from "../clients/keystone.contract.ts"
import { neutronContract } from "../clients/neutron.contract.ts"
import { octaviaContract } from "../clients/octavia.contract.ts"
import { testCloud } from "./test-cloud.ts"

keystoneContract("embedded", async () => testCloud())
neutronContract("embedded", async () => testCloud())
octaviaContract("embedded", async () => testCloud())
