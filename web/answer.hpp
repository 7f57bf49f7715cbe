// What the page that computes asks the model: one question in JSON, one answer in JSON.
//
//   {"do":"cards"}                      the built-in cards, and the numbers that sliders start from
//   {"do":"card","gpu":G,"set":{K:V}}   every number of one
//   {"do":"pattern","text":EXPR,"block":[x,y,z],"grid":[x,y,z],"let":{N:n},"gpu":G,"set":{K:V},
//    "cta":0,"warp":0}                  "text": what `warpmem pattern --format json` prints, to the
//                                       byte; "drawn": the lanes of each access; "all_gpus":true on
//                                       every card
//
// What cannot be answered is {"error":{"message":…,"place":…,"fix":…}}.
#pragma once

#include <string>
#include <string_view>

namespace warpmem::web {

std::string answer(std::string_view question);

}  // namespace warpmem::web
