// read_profile.mjs FILE - what the npm package pprof-format makes of a profile, as JSON: sums by sample type, and of
// each function by itself, inlined ones too.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { Profile } from "pprof-format";

const profile = Profile.decode(gunzipSync(readFileSync(process.argv[2])));
const text = (index) => profile.stringTable.strings[Number(index)];
const byId = (list) => new Map(list.map((one) => [String(one.id), one]));
const locations = byId(profile.location);
const functions = byId(profile.function);

const types = profile.sampleType.map((type) => text(type.type));
const totals = Object.fromEntries(types.map((name, t) => [name, Number(profile.sample.reduce((sum, sample) => sum + BigInt(sample.value[t]), 0n))]));
const flat = {};
for (const sample of profile.sample) {
  const leaf = locations.get(String(sample.locationId[0]));
  const name = leaf?.line.length ? text(functions.get(String(leaf.line[0].functionId)).name) : "?";
  const sums = (flat[name] ??= Object.fromEntries(types.map((type) => [type, 0])));
  types.forEach((type, t) => {
    sums[type] += Number(sample.value[t]);
  });
}
console.log(JSON.stringify({ types, totals, flat, shown: text(profile.defaultSampleType), period: Number(profile.period), mappings: profile.mapping.map((mapping) => text(mapping.filename)) }));
